// Walking rows down a finished tree, a view of Python's arrays or a packed one.
//
// A row that is known wherever it is tested walks down one path. Where it is missing it follows
// the node's missing child, or is divided over all children in proportion to their weight; then
// the shares are carried on a small stack.
//
// Paths through a large tree wait for memory, not for arithmetic: two dozen rows are walked side by
// side so that their waits overlap.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "descend.h"
#include "packed_tree.h"

namespace plaintree {

using Pending = std::vector<std::pair<std::int32_t, double>>;  // nodes and shares to be walked on

template <class Tree>
class Walker {
 public:
  // `thresholds_only`: no other kind of node is in the tree.
  Walker(const Tree& tree, const Step* steps, bool thresholds_only,
         std::span<const ColumnView> columns, bool unseen_stops)
      : tree_(tree), steps_(steps), columns_(columns), unseen_stops_(unseen_stops) {
    plain_ = thresholds_only && !columns.empty();
    for (const ColumnView& column : columns) plain_ = plain_ && column.type == columns[0].type;
  }

  // The node where a row's single path ends, or ~node where it is to be divided.
  std::int32_t walk(std::size_t row, std::int32_t node = 0) const {
    while (steps_[node].attribute >= 0) {
      const Step& step = steps_[node];
      const std::int32_t branch =
          branch_of(tree_, columns_[step.attribute], step.threshold, node, row, unseen_stops_);
      if (branch == kStay) return node;
      if (branch == kDivide) return ~node;
      node = step.first_child + branch;
    }
    return node;
  }

  // The ends of the paths of rows first .. first + n - 1.
  void walk_block(std::size_t first, std::size_t n, std::int32_t* ends) const {
    std::size_t done = 0;
    if (plain_) {
      const bool single = columns_[0].type == ColumnView::Type::Float32;
      for (; done + kSideBySide <= n; done += kSideBySide) {
        if (single)
          walk_side_by_side<float>(first + done, ends + done);
        else
          walk_side_by_side<double>(first + done, ends + done);
      }
    }
    for (; done < n; ++done) ends[done] = walk(first + done);
  }

  // Calls visit(node, share) for every node that answers a part of the row.
  template <class Visit>
  void walk_divided(std::size_t row, Pending& pending, Visit visit) const {
    pending.assign(1, {0, 1.0});
    while (!pending.empty()) {
      const auto [start, share] = pending.back();
      pending.pop_back();
      const std::int32_t end = walk(row, start);
      if (end >= 0) {
        visit(end, share);
        continue;
      }
      const std::int32_t node = ~end, first = steps_[node].first_child;
      const std::int32_t n = tree_.n_children_of(node);
      double total = 0;
      for (std::int32_t c = 0; c < n; ++c) total += tree_.weight_of(first + c);
      if (total <= 0) {
        visit(node, share);
        continue;
      }
      for (std::int32_t c = n; c-- > 0;) {
        const double weight = tree_.weight_of(first + c);
        if (weight > 0) pending.emplace_back(first + c, share * weight / total);
      }
    }
  }

 private:
  static constexpr int kSideBySide = 24;

  template <class Float>
  void walk_side_by_side(std::size_t first, std::int32_t* ends) const {
    std::int32_t at[kSideBySide] = {};
    bool moving = true, divided = false;
    while (moving) {
      moving = false;
      for (int i = 0; i < kSideBySide; ++i) {
        const Step& step = steps_[at[i]];
        if (step.attribute < 0) continue;
        const ColumnView& column = columns_[step.attribute];
        const Float value = *reinterpret_cast<const Float*>(
            column.data + static_cast<std::ptrdiff_t>(first + i) * column.stride);
        std::int32_t branch = value > step.threshold;
        if (value != value) [[unlikely]] {
          branch = tree_.missing_child_of(at[i]);
          if (branch < 0) {
            divided = true;
            continue;
          }
        }
        at[i] = step.first_child + branch;
        __builtin_prefetch(&steps_[at[i]]);
        moving = true;
      }
    }
    for (int i = 0; i < kSideBySide; ++i)
      ends[i] = divided && steps_[at[i]].attribute >= 0 ? ~at[i] : at[i];
  }

  const Tree& tree_;
  const Step* steps_;
  std::span<const ColumnView> columns_;
  bool unseen_stops_;
  bool plain_;  // thresholds only, on columns of one type
};

// The class with the greatest share, the first one on ties.
inline std::int32_t greatest_share(const std::vector<double>& shares) {
  return static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

}  // namespace plaintree
