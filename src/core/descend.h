// One step down a finished tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "predict.h"

namespace plaintree {

inline constexpr std::int32_t kDivide = -1;  // the row goes to every child
inline constexpr std::int32_t kStay = -2;    // the node answers

// The child (counted from 0) that a row goes to at an internal node, or kDivide, or kStay.
inline std::int32_t branch_of(const TreeView& tree, std::span<const ColumnView> columns,
                              std::int32_t node, std::size_t row, bool unseen_stops) {
  const ColumnView& column = columns[tree.attribute[node]];
  const auto kind = static_cast<NodeKind>(tree.kind[node]);
  if (kind == NodeKind::Threshold) {
    const double value = column.number(row);
    return std::isnan(value) ? tree.missing_child[node] : value > tree.threshold[node];
  }
  const std::int32_t code = column.code(row);
  if (code < 0) return code == -2 && unseen_stops ? kStay : tree.missing_child[node];
  if (kind == NodeKind::Multiway) return code;
  const std::int32_t* begin = tree.levels + tree.level_begin[node];
  if (kind == NodeKind::Grouped) return begin[code] < 0 ? tree.missing_child[node] : begin[code];
  const std::int32_t* end = tree.levels + tree.level_end[node];
  if (end - begin == 1) return *begin != code;
  return !std::binary_search(begin, end, code);
}

}  // namespace plaintree
