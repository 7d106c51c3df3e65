// Many rows without missing values, walked down binary trees: the most frequent case by far,
// written for speed. Walker finds the same ends, one row at a time if it must.
//
//   quick step   a node in eight bytes (sixteen with 64-bit keys): the operand, the column, the
//                first child. A leaf leads to itself
//   key          of a number: an integer in the order of the numbers; the operand is the key of the
//                threshold, and greater keys go right. Of a category: the bit of its code; the
//                operand is the mask of the condition's categories, and others go right
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
#include <optional>
#include <span>
#include <vector>

#include "base/sort_key.h"
#include "tree/packed_tree.h"

namespace plaintree {

// `kMasks`: some operands are masks. Without them the step is one comparison.
template <class Key, bool kMasks>
bool goes_right(Key operand, Key key, bool is_mask) {
  const bool above = operand < key;
  if constexpr (!kMasks) return above;
  return above ^ ((above ^ ((operand & key) == 0)) & is_mask);
}

template <class Float>
class QuickStep;

template <>
class QuickStep<float> {
 public:
  static constexpr std::size_t kMostColumns = 1 << 8, kMostNodes = 1 << 23;

  QuickStep(std::uint32_t operand, bool is_mask, std::uint32_t column, std::uint32_t first_child)
      : word_(operand | std::uint64_t{is_mask} << 32 | std::uint64_t{column} << 33 |
              std::uint64_t{first_child} << 41) {}
  template <bool kMasks>
  std::uint32_t child(const std::uint32_t* row) const {
    const auto operand = static_cast<std::uint32_t>(word_);
    return static_cast<std::uint32_t>(word_ >> 41) +
           goes_right<std::uint32_t, kMasks>(operand, row[word_ >> 33 & 255], word_ >> 32 & 1);
  }

 private:
  std::uint64_t word_;
};

template <>
class QuickStep<double> {
 public:
  static constexpr std::size_t kMostColumns = 1ull << 31, kMostNodes = 1ull << 31;

  QuickStep(std::uint64_t operand, bool is_mask, std::uint32_t column, std::uint32_t first_child)
      : operand_(operand), column_(column << 1 | is_mask), first_child_(first_child) {}
  template <bool kMasks>
  std::uint32_t child(const std::uint64_t* row) const {
    return first_child_ +
           goes_right<std::uint64_t, kMasks>(operand_, row[column_ >> 1], column_ & 1);
  }

 private:
  std::uint64_t operand_;
  std::uint32_t column_, first_child_;
};

// The number of bits that masks of a tree's categories need, or nothing if it has other nodes than
// thresholds and sets of categories.
inline std::optional<std::int32_t> mask_bits(const PackedTree& tree) {
  if (tree.thresholds_only()) return 0;
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    const NodeKind kind = tree.kind_of(static_cast<std::int32_t>(i));
    if (kind == NodeKind::Multiway || kind == NodeKind::Grouped) return std::nullopt;
  }
  if (tree.levels.empty()) return 0;
  return *std::max_element(tree.levels.begin(), tree.levels.end()) + 1;
}

// The keys of rows first .. first + n - 1, one row after the other.
template <class Float>
class RowBlock {
 public:
  using Key = SortKey<Float>;

  void fill(std::span<const ColumnView> columns, std::size_t first, std::size_t n) {
    keys_.resize(n * columns.size());
    n_rows_ = n;
    width_ = columns.size();
    n_missing_.assign(width_, 0);
    for (std::size_t j = 0; j < width_; ++j) fill_column(j, columns[j], first);
  }
  // One column again, with other values.
  void fill_column(std::size_t j, const ColumnView& column, std::size_t first) {
    Key* to = keys_.data() + j;
    std::size_t n_missing = 0;
    if (column.type == ColumnView::Type::Codes) {
      for (std::size_t i = 0; i < n_rows_; ++i, to += width_) {
        const std::int32_t code = column.code(first + i);
        *to = bit_of(code);
        n_missing += code < 0;
      }
    } else {
      for (std::size_t i = 0; i < n_rows_; ++i, to += width_) {
        const auto value = static_cast<Float>(column.number(first + i));
        *to = sort_key(value);
        n_missing += value != value;
      }
    }
    n_missing_[j] = n_missing;
  }

  // A code beyond the bits is in no mask.
  static Key bit_of(std::int32_t code) {
    constexpr std::int32_t kBits = std::numeric_limits<Key>::digits;
    return code >= 0 && code < kBits ? Key{1} << code : Key{0};
  }

  const Key* row(std::size_t i) const { return keys_.data() + i * width_; }
  std::size_t n_rows() const { return n_rows_; }
  bool has_missing() const {
    return std::any_of(n_missing_.begin(), n_missing_.end(), [](std::size_t n) { return n > 0; });
  }

 private:
  std::vector<Key> keys_;
  std::vector<std::size_t> n_missing_;  // by column
  std::size_t n_rows_ = 0, width_ = 0;
};

template <class Float>
class QuickTree {
 public:
  static bool fits(const PackedTree& tree, std::size_t n_columns) {
    if (tree.n_classes > 1 << 16 || n_columns > QuickStep<Float>::kMostColumns ||
        tree.n_nodes() > QuickStep<Float>::kMostNodes)
      return false;
    const std::optional<std::int32_t> bits = mask_bits(tree);
    return bits && *bits <= std::numeric_limits<Key>::digits;
  }

  QuickTree() = default;
  explicit QuickTree(const PackedTree& tree) : has_masks_(!tree.thresholds_only()) {
    steps_.reserve(tree.n_nodes());
    answers_.resize(tree.n_nodes());
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      const Step& step = tree.steps[i];
      const auto node = static_cast<std::int32_t>(i);
      if (step.attribute >= 0) {
        const bool is_mask = tree.kind_of(node) != NodeKind::Threshold;
        steps_.push_back(
            {is_mask ? mask_of(tree.levels_of(node)) : sort_key(rounded_down(step.threshold)),
             is_mask, static_cast<std::uint32_t>(step.attribute),
             static_cast<std::uint32_t>(step.first_child)});
      } else {
        steps_.push_back(
            {std::numeric_limits<Key>::max(), false, 0, static_cast<std::uint32_t>(i)});
        answers_[i] = static_cast<std::uint16_t>(tree.answer_of(node));
      }
    }
  }

  std::int32_t answer_of(std::int32_t leaf) const { return answers_[leaf]; }

  // The leaf of each row; no row may have a missing value.
  void walk(const RowBlock<Float>& rows, std::int32_t* ends) const {
    if (has_masks_)
      walk_rows<true>(rows, ends);
    else
      walk_rows<false>(rows, ends);
  }

 private:
  using Key = SortKey<Float>;

  static constexpr std::size_t kLanes = 64;
  static constexpr int kSteps = 5;  // between two looks

  template <bool kMasks>
  void walk_rows(const RowBlock<Float>& rows, std::int32_t* ends) const {
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
      for (int i = 1; i < kSteps; ++i) take_step<kMasks>(lanes);
      std::copy_n(lanes.node, kLanes, lanes.before);
      take_step<kMasks>(lanes);
      n_lanes = drop_arrived(lanes, n_lanes);
    } while (n_lanes > 0 || next < n);
  }

  struct Lanes {
    const Key* row[kLanes];
    std::uint32_t node[kLanes] = {}, before[kLanes];  // before the last step
    std::int32_t* end[kLanes];
  };

  // By itself, so that compilers do not turn the loops round and take a lane's steps in a row.
  template <bool kMasks>
  [[gnu::noinline]] void take_step(Lanes& lanes) const {
    for (std::size_t i = 0; i < kLanes; ++i) {
      lanes.node[i] = steps_[lanes.node[i]].template child<kMasks>(lanes.row[i]);
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

  static Key mask_of(std::span<const std::int32_t> levels) {
    Key mask = 0;
    for (const std::int32_t level : levels) mask |= RowBlock<Float>::bit_of(level);
    return mask;
  }

  bool has_masks_ = false;
  std::vector<QuickStep<Float>> steps_;
  std::vector<std::uint16_t> answers_;  // of leaves
};

}  // namespace plaintree
