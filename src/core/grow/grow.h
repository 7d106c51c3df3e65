// Growing a tree from a table.
#pragma once

#include <functional>

#include "base/params.h"
#include "grow/given_tree.h"
#include "table/training_table.h"
#include "tree/tree_arrays.h"

namespace plaintree {

// `interrupted` is asked now and then, from the calling thread, whether to give up; then
// Interrupted (team.h) is thrown. `given`: a tree to grow on from; of a node that is to be probed,
// the offers are written there.
TreeArrays grow(const Examples& examples, const Params& params, int n_threads,
                std::function<bool()> interrupted = {}, const GivenTree* given = nullptr);

}  // namespace plaintree
