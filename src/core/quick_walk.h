// Many rows without gaps, walked down a forest of thresholds: the commonest case by far, written
// for speed. Walker finds the same ends, one row at a time if it must.
//
//   quick step   a node in eight bytes (sixteen, if values are doubles): the threshold, and the
//                first child's number with the tested column's below it. A leaf leads to itself
//   lane         a row on its way; a few dozen are walked side by side, so that their waits for
//                memory overlap
//
// Every other step is taken without looking whether the row has arrived: that is what a processor
// cannot foresee. A row that has stays where it is.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "packed_tree.h"

namespace plaintree {

// Rows first .. first + n - 1, one after the other.
template <class Float>
class RowBlock {
 public:
  void fill(std::span<const ColumnView> columns, std::size_t first, std::size_t n) {
    values_.resize(n * columns.size());
    n_rows_ = n;
    width_ = columns.size();
    bool gaps = false;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].type == ColumnView::Type::Codes) continue;  // no threshold tests it
      Float* to = values_.data() + j;
      for (std::size_t i = 0; i < n; ++i, to += columns.size()) {
        *to = static_cast<Float>(columns[j].number(first + i));
        gaps |= *to != *to;
      }
    }
    has_gaps_ = gaps;
  }

  const Float* row(std::size_t i) const { return values_.data() + i * width_; }
  std::size_t n_rows() const { return n_rows_; }
  bool has_gaps() const { return has_gaps_; }

 private:
  std::vector<Float> values_;
  std::size_t n_rows_ = 0, width_ = 0;
  bool has_gaps_ = false;
};

template <class Float>
class QuickTree {
 public:
  static bool fits(const PackedTree& tree, std::size_t n_columns) {
    return tree.thresholds_only() && tree.n_classes <= 1 << 16 &&
           std::bit_width(tree.n_nodes()) + std::bit_width(n_columns) <= 32;
  }

  QuickTree() = default;
  QuickTree(const PackedTree& tree, std::size_t n_columns)
      : column_bits_(static_cast<int>(std::bit_width(n_columns))) {
    steps_.reserve(tree.n_nodes());
    answers_.resize(tree.n_nodes());
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      const Step& step = tree.steps[i];
      if (step.attribute >= 0) {
        steps_.push_back({rounded_down(step.threshold), link(step.first_child, step.attribute)});
      } else {
        const auto node = static_cast<std::int32_t>(i);
        steps_.push_back({std::numeric_limits<Float>::infinity(), link(node, 0)});
        answers_[i] = static_cast<std::uint16_t>(tree.answer_of(node));
      }
    }
  }

  std::int32_t answer_of(std::int32_t leaf) const { return answers_[leaf]; }

  // The leaf of each row.
  void walk(const RowBlock<Float>& rows, std::int32_t* ends) const {
    Lane lanes[kLanes];
    const std::size_t n = rows.n_rows();
    std::size_t next = 0, n_lanes = 0;
    for (; n_lanes < kLanes && next < n; ++n_lanes, ++next)
      lanes[n_lanes] = {rows.row(next), 0, ends + next};
    while (n_lanes > 0) {
      take_step(lanes, n_lanes);
      for (std::size_t i = 0; i < n_lanes; ++i) {
        Lane& lane = lanes[i];
        const std::uint32_t node = child_of(lane);
        if (node != lane.node) {
          lane.node = node;
          __builtin_prefetch(&steps_[node]);
          continue;
        }
        *lane.end = static_cast<std::int32_t>(node);
        if (next < n) {
          lane = {rows.row(next), 0, ends + next};
          ++next;
        } else {
          lane = lanes[--n_lanes];
        }
      }
    }
  }

 private:
  static constexpr std::size_t kLanes = 32;

  struct QuickStep {
    Float threshold;
    std::uint32_t link;
  };
  struct Lane {
    const Float* row;
    std::uint32_t node;
    std::int32_t* end;
  };

  std::uint32_t child_of(const Lane& lane) const {
    const QuickStep step = steps_[lane.node];
    const std::uint32_t column = step.link & ((1u << column_bits_) - 1);
    return (step.link >> column_bits_) + (lane.row[column] > step.threshold);
  }
  // By itself, so that compilers do not turn the loops round and take a lane's steps in a row.
  [[gnu::noinline]] void take_step(Lane* lanes, std::size_t n) const {
    for (Lane* lane = lanes; lane != lanes + n; ++lane) {
      lane->node = child_of(*lane);
      __builtin_prefetch(&steps_[lane->node]);
    }
  }

  std::uint32_t link(std::int32_t node, std::int32_t column) const {
    return static_cast<std::uint32_t>(node) << column_bits_ | static_cast<std::uint32_t>(column);
  }
  // A float is above a threshold if it is above the greatest float that is not.
  static Float rounded_down(double threshold) {
    const auto rounded = static_cast<Float>(threshold);
    return static_cast<double>(rounded) > threshold
               ? std::nextafter(rounded, -std::numeric_limits<Float>::infinity())
               : rounded;
  }

  int column_bits_ = 0;
  std::vector<QuickStep> steps_;
  std::vector<std::uint16_t> answers_;  // of leaves
};

}  // namespace plaintree
