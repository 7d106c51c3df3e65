// Growing a tree from a table.
#pragma once

#include <functional>

#include "base/params.h"
#include "table/training_table.h"
#include "tree/tree_arrays.h"

namespace plaintree {

// `interrupted` is asked now and then, from the calling thread, whether to give up; then
// Interrupted (team.h) is thrown.
TreeArrays grow(const Examples& examples, const Params& params, int n_threads,
                std::function<bool()> interrupted = {});

}  // namespace plaintree
