// Many rows without missing values, walked down binary trees: the most frequent case by far,
// written for speed. Walker finds the same ends, one row at a time if it must.
//
//   quick step   a node in eight bytes (sixteen with 64-bit keys): the operand, the column, the
//                first child. A leaf leads to itself
//   key          of a number: an integer in the order of the numbers; the operand is the key of the
//                threshold, and greater keys go right. Of a category: the bit of its code; the
//                operand is the mask of the condition's categories, and others go right. Where
//                masks would be longer than keys, the code itself; the operand is the place of the
//                mask in a table of words
//   lane         a row on its way; some dozens are walked side by side, so that their waits for
//                memory overlap
//
// Nothing here waits for what a processor cannot foresee: values are compared as integers that
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
#include "predict/start.h"
#include "tree/packed_tree.h"

namespace plaintree {

// What conditions on categories, if there are any, have for an operand.
enum class Sets { None, Masks, Tables };

// Without conditions on categories the step is one comparison. `tables` has a word at least.
template <class Key, Sets kSets>
bool goes_right(Key operand, Key key, bool is_set, const std::uint64_t* tables) {
  const bool above = operand < key;
  if constexpr (kSets == Sets::None) return above;
  bool outside = (operand & key) == 0;
  if constexpr (kSets == Sets::Tables)
    outside = ~tables[is_set ? operand + key / 64 : 0] >> (key & 63) & 1;
  return above ^ ((above ^ outside) & is_set);
}

// Categories as keys, where conditions name codes below `n_codes` only.
template <class Key>
struct CategoryKeys {
  static constexpr std::int32_t kBits = std::numeric_limits<Key>::digits;
  static constexpr std::int32_t kMostCodes = 1024;  // tables of more would be too large

  std::int32_t n_codes = 0;

  bool fit_masks() const { return n_codes <= kBits; }
  // With a bit more than there are codes, for all others.
  std::size_t words_of_mask() const { return static_cast<std::size_t>(n_codes) / 64 + 1; }
  Key of(std::int32_t code) const {
    if (fit_masks()) return code >= 0 && code < kBits ? Key{1} << code : Key{0};
    return static_cast<Key>(code >= 0 && code < n_codes ? code : n_codes);
  }
};

template <class Float>
class QuickStep;

template <>
class QuickStep<float> {
 public:
  static constexpr std::size_t kMostColumns = 1 << 8, kMostNodes = 1 << 23;

  QuickStep(std::uint32_t operand, bool is_set, std::uint32_t column, std::uint32_t first_child)
      : word_(operand | std::uint64_t{is_set} << 32 | std::uint64_t{column} << 33 |
              std::uint64_t{first_child} << 41) {}
  template <Sets kSets>
  std::uint32_t child(const std::uint32_t* row, const std::uint64_t* tables) const {
    const auto operand = static_cast<std::uint32_t>(word_);
    const std::uint32_t key = row[word_ >> 33 & 255];
    return static_cast<std::uint32_t>(word_ >> 41) +
           goes_right<std::uint32_t, kSets>(operand, key, word_ >> 32 & 1, tables);
  }

 private:
  std::uint64_t word_;
};

template <>
class QuickStep<double> {
 public:
  static constexpr std::size_t kMostColumns = 1ull << 31, kMostNodes = 1ull << 31;

  QuickStep(std::uint64_t operand, bool is_set, std::uint32_t column, std::uint32_t first_child)
      : operand_(operand), column_(column << 1 | is_set), first_child_(first_child) {}
  template <Sets kSets>
  std::uint32_t child(const std::uint64_t* row, const std::uint64_t* tables) const {
    return first_child_ +
           goes_right<std::uint64_t, kSets>(operand_, row[column_ >> 1], column_ & 1, tables);
  }

 private:
  std::uint64_t operand_;
  std::uint32_t column_, first_child_;
};

// All codes that a tree's conditions name are below this number; nothing if it has other nodes than
// thresholds and sets of categories.
inline std::optional<std::int32_t> codes_in_sets(const PackedTree& tree) {
  if (tree.thresholds_only()) return 0;
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    const NodeKind kind = tree.kind_of(static_cast<std::int32_t>(i));
    if (kind == NodeKind::Multiway || kind == NodeKind::Grouped) return std::nullopt;
  }
  if (tree.levels.empty()) return 0;
  return *std::max_element(tree.levels.begin(), tree.levels.end()) + 1;
}

// The same of several trees; those with other nodes count for nothing.
template <class Trees>
std::int32_t codes_in_sets_of(const Trees& trees) {
  std::int32_t most = 0;
  for (const PackedTree& tree : trees) most = std::max(most, codes_in_sets(tree).value_or(0));
  return most;
}

// The keys of rows first .. first + n - 1, one row after the other.
template <class Float>
class RowBlock {
 public:
  using Key = SortKey<Float>;

  RowBlock() = default;
  explicit RowBlock(const CategoryKeys<Key>& categories) : categories_(categories) {}

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
        *to = categories_.of(code);
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

  const Key* row(std::size_t i) const { return keys_.data() + i * width_; }
  std::size_t n_rows() const { return n_rows_; }
  bool has_missing() const {
    return std::any_of(n_missing_.begin(), n_missing_.end(), [](std::size_t n) { return n > 0; });
  }

 private:
  CategoryKeys<Key> categories_;
  std::vector<Key> keys_;
  std::vector<std::size_t> n_missing_;  // by column
  std::size_t n_rows_ = 0, width_ = 0;
};

template <class Float>
class QuickTree {
 public:
  using Key = SortKey<Float>;

  static bool fits(const PackedTree& tree, std::size_t n_columns) {
    if (tree.n_classes > 1 << 16 || n_columns > QuickStep<Float>::kMostColumns ||
        tree.n_nodes() > QuickStep<Float>::kMostNodes)
      return false;
    const std::optional<std::int32_t> codes = codes_in_sets(tree);
    return codes && *codes <= CategoryKeys<Key>::kMostCodes;
  }

  QuickTree() = default;
  // For rows with these keys, in which all conditions of the tree can be written.
  QuickTree(const PackedTree& tree, const CategoryKeys<Key>& categories) {
    if (!tree.thresholds_only()) sets_ = categories.fit_masks() ? Sets::Masks : Sets::Tables;
    steps_.reserve(tree.n_nodes());
    answers_.resize(tree.n_nodes());
    for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
      const Step& step = tree.steps[i];
      const auto node = static_cast<std::int32_t>(i);
      if (step.attribute >= 0) {
        const bool is_set = tree.kind_of(node) != NodeKind::Threshold;
        steps_.push_back({is_set ? operand_of(tree.levels_of(node), categories)
                                 : sort_key(rounded_down(step.threshold)),
                          is_set, static_cast<std::uint32_t>(step.attribute),
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
    walk(rows, RootStarts{0, rows.n_rows()}, ends);
  }
  // The same from `starts`: RootStarts, or a span of Start.
  template <class Starts>
  void walk(const RowBlock<Float>& rows, const Starts& starts, std::int32_t* ends) const {
    switch (sets_) {
      case Sets::None:
        return walk_rows<Sets::None>(rows, starts, ends);
      case Sets::Masks:
        return walk_rows<Sets::Masks>(rows, starts, ends);
      case Sets::Tables:
        return walk_rows<Sets::Tables>(rows, starts, ends);
    }
  }

 private:
  static constexpr std::size_t kLanes = 64;
  static constexpr int kSteps = 5;  // between two looks

  template <Sets kSets, class Starts>
  void walk_rows(const RowBlock<Float>& rows, const Starts& starts, std::int32_t* ends) const {
    const std::size_t n = starts.size();
    if (n == 0) return;
    // Lanes beyond the last row of all walk with it; where they go is not used.
    Lanes lanes;
    std::fill_n(lanes.row, kLanes, rows.row(starts[n - 1].row));
    std::size_t next = 0, n_lanes = 0;
    do {
      for (; n_lanes < kLanes && next < n; ++n_lanes, ++next) {
        const Start from = starts[next];
        lanes.row[n_lanes] = rows.row(from.row);
        lanes.node[n_lanes] = static_cast<std::uint32_t>(from.node);
        lanes.end[n_lanes] = ends + next;
      }
      for (int i = 1; i < kSteps; ++i) take_step<kSets>(lanes);
      std::copy_n(lanes.node, kLanes, lanes.before);
      take_step<kSets>(lanes);
      n_lanes = drop_arrived(lanes, n_lanes);
    } while (n_lanes > 0 || next < n);
  }

  struct Lanes {
    const Key* row[kLanes];
    std::uint32_t node[kLanes] = {}, before[kLanes];  // before the last step
    std::int32_t* end[kLanes];
  };

  // By itself, so that compilers do not turn the loops round and take a lane's steps in a row.
  template <Sets kSets>
  [[gnu::noinline]] void take_step(Lanes& lanes) const {
    const std::uint64_t* tables = tables_.data();
    for (std::size_t i = 0; i < kLanes; ++i) {
      lanes.node[i] = steps_[lanes.node[i]].template child<kSets>(lanes.row[i], tables);
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

  Key operand_of(std::span<const std::int32_t> levels, const CategoryKeys<Key>& categories) {
    Key mask = 0;
    if (sets_ == Sets::Masks) {
      for (const std::int32_t level : levels) mask |= categories.of(level);
      return mask;
    }
    const std::size_t begin = tables_.size();
    tables_.resize(begin + categories.words_of_mask());
    for (const std::int32_t level : levels)
      tables_[begin + static_cast<std::size_t>(level) / 64] |= std::uint64_t{1} << (level & 63);
    return static_cast<Key>(begin);
  }

  Sets sets_ = Sets::None;
  std::vector<QuickStep<Float>> steps_;
  std::vector<std::uint64_t> tables_ = {0};  // masks, after a word for steps that have none
  std::vector<std::uint16_t> answers_;       // of leaves
};

}  // namespace plaintree
