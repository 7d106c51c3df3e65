// Growing a tree from a training table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "params.h"

namespace plaintree {

// `weights` may be empty. `interrupted` is asked now and then, from the calling thread, whether
// to give up; then Interrupted (team.h) is thrown.
TreeArrays grow(std::span<const ColumnView> columns, std::span<const std::int32_t> classes,
                int n_classes, std::span<const double> weights, const Params& params, int n_threads,
                std::function<bool()> interrupted = {});

}  // namespace plaintree
