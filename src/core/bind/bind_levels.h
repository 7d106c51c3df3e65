// The part of the module that is about blocks and growing by levels.
#pragma once

#include <nanobind/nanobind.h>

void define_levels(nanobind::module_& m);
