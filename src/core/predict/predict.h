// Sending rows down a finished tree.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "table/column_view.h"
#include "tree/tree_view.h"

namespace plaintree {

struct PredictOptions {
  bool unseen_stops = false;  // a category unknown to training is answered by the node it reached
  int n_threads = 1;
  std::function<bool()> interrupted;
};

// The node that predicts each row; of a divided row, the one with its largest part.
void predict_nodes(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                   const PredictOptions& options, std::int32_t* nodes);

// The class shares of each row (rows x classes), each row adding up to one; or one number a row,
// where the target is numeric.
void predict_shares(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                    const PredictOptions& options, double* shares);

// The class of the greatest share of each row, or of the least expected cost, the first one on
// ties.
void predict_classes(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                     const PredictOptions& options, std::int32_t* classes);

}  // namespace plaintree
