// One step down a finished tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "table/column_view.h"
#include "tree/tree_arrays.h"

namespace plaintree {

inline constexpr std::int32_t kDivide = -1;  // the row goes to every child
inline constexpr std::int32_t kStay = -2;    // the node predicts

// The child (counted from 0) that a row goes to at a node that tests `column`, or kDivide, or
// kStay. The tree is a TreeView, or packed.
template <class Tree>
std::int32_t branch_of(const Tree& tree, const ColumnView& column, double threshold,
                       std::int32_t node, std::size_t row, bool unseen_stops) {
  const NodeKind kind = tree.kind_of(node);
  if (kind == NodeKind::Threshold) {
    const double value = column.number(row);
    return std::isnan(value) ? tree.missing_child_of(node) : value > threshold;
  }
  const std::int32_t code = column.code(row);
  if (code < 0) return code == -2 && unseen_stops ? kStay : tree.missing_child_of(node);
  if (kind == NodeKind::Multiway) return code;
  const std::span<const std::int32_t> levels = tree.levels_of(node);
  if (kind == NodeKind::Grouped)
    return levels[code] < 0 ? tree.missing_child_of(node) : levels[code];
  if (levels.size() == 1) return levels[0] != code;
  return !std::binary_search(levels.begin(), levels.end(), code);
}

}  // namespace plaintree
