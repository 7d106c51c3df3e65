// Pruning that needs the training rows again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/params.h"
#include "table/column_view.h"
#include "tree/tree_view.h"

namespace plaintree {

// C4.5's additional errors: what N cases with e errors are expected to add on new data, at the
// given confidence. An upper limit of the binomial distribution with R8's own approximations.
double additional_errors(double cases, double errors, double confidence);

struct PrunedTree {
  TreeArrays tree;
  std::vector<double> errors;  // estimated for every node, level by level
};

// C4.5's error-based pruning: bottom-up, a node becomes a leaf or is replaced by its largest branch
// where that is not expected to make more errors. Rows are the training rows, routed as the tree
// routes them; class weights and labels are recomputed.
PrunedTree prune_error_based(const TreeView& tree, std::span<const ColumnView> columns,
                             std::span<const std::int32_t> classes, std::span<const double> weights,
                             double confidence, Criterion criterion,
                             std::function<bool()> interrupted = {});

}  // namespace plaintree
