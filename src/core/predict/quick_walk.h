// Many rows without gaps, walked down a forest of thresholds: the commonest case by far, written
// for speed. Walker finds the same ends, one row at a time if it must.
//
//   quick step   a node in eight bytes (sixteen, if values are doubles): the threshold, the tested
//                column, the first child. A leaf leads to itself
//   lane         a row on its way; some dozens are walked side by side, so that their waits for
//                memory overlap
//
// Nothing here waits for what a processor cannot foresee: values are compared as whole numbers that
// are added to the child's number, and lanes are looked at after a few steps only. A row that has
// arrived stays where it is until then.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/sort_key.h"
#include "tree/packed_tree.h"

namespace plaintree {

template <class Float>
class QuickStep;

template <>
class QuickStep<float> {
 public:
  static constexpr std::size_t kMostColumns = 1 << 8, kMostNodes = 1 << 24;

  QuickStep(std::uint32_t threshold, std::uint32_t column, std::uint32_t first_child)
      : word_(threshold | std::uint64_t{column} << 32 | std::uint64_t{first_child} << 40) {}
  std::uint32_t child(const std::uint32_t* row) const {
    const auto threshold = static_cast<std::uint32_t>(word_);
    return static_cast<std::uint32_t>(word_ >> 40) + (threshold < row[word_ >> 32 & 255]);
  }

 private:
  std::uint64_t word_;
};

template <>
class QuickStep<double> {
 public:
  static constexpr std::size_t kMostColumns = 1ull << 32, kMostNodes = 1ull << 31;

  QuickStep(std::uint64_t threshold, std::uint32_t column, std::uint32_t first_child)
      : threshold_(threshold), column_(column), first_child_(first_child) {}
  std::uint32_t child(const std::uint64_t* row) const {
    return first_child_ + (threshold_ < row[column_]);
  }

 private:
  std::uint64_t threshold_;
  std::uint32_t column_, first_child_;
};

// The sort keys of rows first .. first + n - 1, one row after the other.
template <class Float>
class RowBlock {
 public:
  using Key = SortKey<Float>;

  void fill(std::span<const ColumnView> columns, std::size_t first, std::size_t n) {
    keys_.resize(n * columns.size());
    n_rows_ = n;
    width_ = columns.size();
    bool gaps = false;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].type == ColumnView::Type::Codes) continue;  // no threshold tests it
      Key* to = keys_.data() + j;
      for (std::size_t i = 0; i < n; ++i, to += columns.size()) {
        const auto value = static_cast<Float>(columns[j].number(first + i));
        *to = sort_key(value);
        gaps |= value != value;
      }
    }
    has_gaps_ = gaps;
  }

  const Key* row(std::size_t i) const { return keys_.data() + i * width_; }
  std::size_t n_rows() const { return n_rows_; }
  bool has_gaps() const { return has_gaps_; }

 private:
  std::vector<Key> keys_;
  std::size_t n_rows_ = 0, width_ = 0;
  bool has_gaps_ = false;
};

template <class Float>
class QuickTree {
 public:
  static bool fits(const PackedTree& tree, std::size_t n_columns) {
    return tree.thresholds_only() && tree.n_classes <= 1 << 16 &&
           n_columns <= QuickStep<Float>::kMostColumns &&
           tree.n_nodes() <= QuickStep<Float>::kMostNodes;
  }

  QuickTree() = default;
  explicit QuickTree(const PackedTree& tree) {
    steps_.reserve(tree.n_nodes());
    answers_.resize(tree.n_nodes());
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      const Step& step = tree.steps[i];
      if (step.attribute >= 0) {
        steps_.push_back({sort_key(rounded_down(step.threshold)),
                          static_cast<std::uint32_t>(step.attribute),
                          static_cast<std::uint32_t>(step.first_child)});
      } else {
        const auto node = static_cast<std::int32_t>(i);
        steps_.push_back({std::numeric_limits<Key>::max(), 0, static_cast<std::uint32_t>(i)});
        answers_[i] = static_cast<std::uint16_t>(tree.answer_of(node));
      }
    }
  }

  std::int32_t answer_of(std::int32_t leaf) const { return answers_[leaf]; }

  // The leaf of each row.
  void walk(const RowBlock<Float>& rows, std::int32_t* ends) const {
    const std::size_t n = rows.n_rows();
    if (n == 0) return;
    // Lanes beyond the last row of all walk with it; nobody asks where they go.
    Lanes lanes;
    std::fill_n(lanes.row, kLanes, rows.row(n - 1));
    std::size_t next = 0, n_lanes = 0;
    do {
      for (; n_lanes < kLanes && next < n; ++n_lanes, ++next) {
        lanes.row[n_lanes] = rows.row(next);
        lanes.node[n_lanes] = 0;
        lanes.end[n_lanes] = ends + next;
      }
      for (int i = 1; i < kSteps; ++i) take_step(lanes);
      std::copy_n(lanes.node, kLanes, lanes.before);
      take_step(lanes);
      n_lanes = drop_arrived(lanes, n_lanes);
    } while (n_lanes > 0 || next < n);
  }

 private:
  using Key = SortKey<Float>;

  static constexpr std::size_t kLanes = 64;
  static constexpr int kSteps = 5;  // between two looks

  struct Lanes {
    const Key* row[kLanes];
    std::uint32_t node[kLanes] = {}, before[kLanes];  // before the last step
    std::int32_t* end[kLanes];
  };

  // By itself, so that compilers do not turn the loops round and take a lane's steps in a row.
  [[gnu::noinline]] void take_step(Lanes& lanes) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
      lanes.node[i] = steps_[lanes.node[i]].child(lanes.row[i]);
      __builtin_prefetch(&steps_[lanes.node[i]]);
    }
  }
  // Moves the lanes still on their way together; returns their number.
  static std::size_t drop_arrived(Lanes& lanes, std::size_t n) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t node = lanes.node[i];
      const bool goes_on = node != lanes.before[i];
      *lanes.end[i] = static_cast<std::int32_t>(node);
      lanes.row[kept] = lanes.row[i];
      lanes.node[kept] = node;
      lanes.end[kept] = lanes.end[i];
      kept += goes_on;
    }
    return kept;
  }

  // A float is above a threshold if it is above the greatest float that is not.
  static Float rounded_down(double threshold) {
    const auto rounded = static_cast<Float>(threshold);
    return static_cast<double>(rounded) > threshold
               ? std::nextafter(rounded, -std::numeric_limits<Float>::infinity())
               : rounded;
  }

  std::vector<QuickStep<Float>> steps_;
  std::vector<std::uint16_t> answers_;  // of leaves
};

}  // namespace plaintree
