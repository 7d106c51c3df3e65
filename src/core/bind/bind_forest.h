// The part of the module that is about forests.
#pragma once

#include <nanobind/nanobind.h>

void define_forests(nanobind::module_& m);
