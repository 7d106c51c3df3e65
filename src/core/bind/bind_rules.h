// The part of the module that is about rules and about cuts of a column.
#pragma once

#include <nanobind/nanobind.h>

void define_rules(nanobind::module_& m);
