// One step down a finished tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "table/column_view.h"
#include "tree/surrogates.h"
#include "tree/tree_arrays.h"

namespace plaintree {

inline constexpr std::int32_t kDivide = -1;    // the row goes to every child
inline constexpr std::int32_t kStay = -2;      // the node predicts
inline constexpr std::int32_t kNoBranch = -3;  // the condition does not decide

// The branch that the condition of a node has for a row, or kStay, or kNoBranch.
template <class Tree>
std::int32_t branch_by_condition(const Tree& tree, const ColumnView& column, double threshold,
                                 std::int32_t node, std::size_t row, bool unseen_stops) {
  const NodeKind kind = tree.kind_of(node);
  if (kind == NodeKind::Threshold) {
    const double value = column.number(row);
    return std::isnan(value) ? kNoBranch : value > threshold;
  }
  const std::int32_t code = column.code(row);
  if (code < 0) return code == -2 && unseen_stops ? kStay : kNoBranch;
  if (kind == NodeKind::Multiway) return code;
  const std::span<const std::int32_t> levels = tree.levels_of(node);
  if (kind == NodeKind::Grouped) return levels[code] < 0 ? kNoBranch : levels[code];
  if (levels.size() == 1) return levels[0] != code;
  return !std::binary_search(levels.begin(), levels.end(), code);
}

// The branch by the first surrogate of a node that has one for the row, or kNoBranch.
inline std::int32_t branch_by_surrogate(const SurrogateView& surrogates,
                                        std::span<const ColumnView> columns, std::int32_t node,
                                        std::size_t row) {
  for (std::int64_t i = surrogates.begin[node]; i < surrogates.end[node]; ++i) {
    const std::int32_t branch = surrogates.branch_of(i, columns[surrogates.attribute[i]], row);
    if (branch >= 0) return branch;
  }
  return kNoBranch;
}

// The child (counted from 0) that a row goes to at an inner node, or kDivide, or kStay. The tree is
// a TreeView, or packed: then it has no surrogates.
template <class Tree>
std::int32_t branch_of(const Tree& tree, std::span<const ColumnView> columns,
                       std::int32_t attribute, double threshold, std::int32_t node, std::size_t row,
                       bool unseen_stops) {
  const std::int32_t branch =
      branch_by_condition(tree, columns[attribute], threshold, node, row, unseen_stops);
  if (branch != kNoBranch) return branch;
  if constexpr (requires { tree.surrogates; }) {
    if (!tree.surrogates.empty()) {
      const std::int32_t other = branch_by_surrogate(tree.surrogates, columns, node, row);
      if (other != kNoBranch) return other;
    }
  }
  return tree.missing_child_of(node);
}

}  // namespace plaintree
