// Walking rows down a finished tree, a view of Python's arrays or a packed one.
//
// A row that is known wherever it is tested walks down one path. Where it is missing it follows
// a surrogate or the node's missing child, or stops, or is divided over all children in proportion
// to their weight; then the shares are carried on a small stack.
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

#include "predict/descend.h"
#include "predict/start.h"
#include "tree/packed_tree.h"

namespace plaintree {

using Pending = std::vector<std::pair<std::int32_t, double>>;  // nodes and shares to be walked on

template <class Tree>
class Walker {
 public:
  // `thresholds_only`: no other kind of node is in the tree, and no surrogates.
  Walker(const Tree& tree, const Step* steps, bool thresholds_only,
         std::span<const ColumnView> columns, bool unseen_stops)
      : tree_(tree), steps_(steps), columns_(columns), unseen_stops_(unseen_stops) {
    plain_ = thresholds_only && !columns.empty();
    for (const ColumnView& column : columns)
      plain_ = plain_ && column.type == columns[0].type && column.stride == columns[0].stride;
  }

  // The node where a row's single path ends, or ~node where it is to be divided.
  std::int32_t walk(std::size_t row, std::int32_t node = 0) const {
    while (steps_[node].attribute >= 0) {
      const Step& step = steps_[node];
      const std::int32_t branch =
          branch_of(tree_, columns_, step.attribute, step.threshold, node, row, unseen_stops_);
      if (branch == kStay) return node;
      if (branch == kDivide) return ~node;
      node = step.first_child + branch;
    }
    return node;
  }

  // The ends of the paths from `starts`: RootStarts, or a span of Start.
  template <class Starts>
  void walk_block(const Starts& starts, std::int32_t* ends) const {
    if (plain_ && starts.size() >= kSideBySide) {
      if (columns_[0].type == ColumnView::Type::Float32)
        walk_side_by_side<float>(starts, ends);
      else
        walk_side_by_side<double>(starts, ends);
    } else {
      for (std::size_t i = 0; i < starts.size(); ++i) ends[i] = walk(starts[i].row, starts[i].node);
    }
  }

  // Calls visit(node, share) for every node that predicts a part of the row.
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
  static constexpr std::size_t kSideBySide = 32;

  // A row that has arrived makes way for the next one.
  template <class Float, class Starts>
  void walk_side_by_side(const Starts& starts, std::int32_t* ends) const {
    struct Lane {
      const Step* step;
      std::ptrdiff_t offset;  // of its row in every column
      std::size_t place;
    };
    const std::ptrdiff_t stride = columns_[0].stride;
    Lane lanes[kSideBySide];
    std::size_t next = 0;
    const auto start = [&](Lane& lane) {
      const Start from = starts[next];
      lane = {steps_ + from.node, static_cast<std::ptrdiff_t>(from.row) * stride, next};
      ++next;
    };
    for (Lane& lane : lanes) start(lane);
    std::size_t n_lanes = kSideBySide;
    while (n_lanes > 0) {
      for (std::size_t i = 0; i < n_lanes; ++i) {
        Lane& lane = lanes[i];
        const Step& step = *lane.step;
        bool arrived = step.attribute < 0, divided = false, stays = false;
        if (!arrived) [[likely]] {
          const Float value =
              *reinterpret_cast<const Float*>(columns_[step.attribute].data + lane.offset);
          std::int32_t branch = value > step.threshold;
          if (value != value) [[unlikely]] {
            branch = tree_.missing_child_of(static_cast<std::int32_t>(lane.step - steps_));
            divided = branch == kDivide;
            stays = branch == kStay;
          }
          if (!divided && !stays) [[likely]] {
            lane.step = steps_ + step.first_child + branch;
            __builtin_prefetch(lane.step);
            continue;
          }
        }
        const auto node = static_cast<std::int32_t>(lane.step - steps_);
        ends[lane.place] = divided ? ~node : node;
        if (next < starts.size())
          start(lane);
        else
          lane = lanes[--n_lanes];
      }
    }
  }

  const Tree& tree_;
  const Step* steps_;
  std::span<const ColumnView> columns_;
  bool unseen_stops_;
  bool plain_;  // thresholds only, on columns of one type that are laid out alike
};

// The class with the greatest share, the first one on ties.
inline std::int32_t greatest_share(const std::vector<double>& shares) {
  return static_cast<std::int32_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

}  // namespace plaintree
