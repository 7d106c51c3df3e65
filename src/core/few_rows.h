// The best cuts of a node of few rows: by Gini, of numeric columns without gaps, some of them
// drawn.
//
// Most nodes of a deep tree have a handful of rows. What takes time there is not the rows, but all
// that is done once for every node and every column; so there is little of that here:
//   - columns of two codes in which all rows agree are known from the bits of all rows together
//   - keys (see gini_scan.h) are sorted by counting how many are below each, without a branch
//   - nothing is allocated
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "evaluate_gini.h"

namespace plaintree {

class FewRows {
 public:
  static constexpr std::uint32_t kMost = 48;

  // Are the columns of a table such that its small nodes can be cut here?
  static bool serves(const TrainingTable& table, const Measure& measure) {
    const int tag_bits = table.class_bits + table.repeat_bits;
    const auto fits = [&](const Column& column) {
      return column.numeric && !column.has_missing && column.store != Column::Store::Sorted &&
             std::bit_width(static_cast<unsigned>(column.n_codes)) + tag_bits < 32;
    };
    return measure.params->columns_per_node > 0 && fits_gini_scan(measure, table) &&
           table.n_classes <= kMostClasses &&
           std::all_of(table.columns.begin(), table.columns.end(), fits);
  }

  FewRows(const TrainingTable& table, const Measure& measure)
      : least_(least_rows(measure)),
        tag_mask_(tag_mask(table)),
        tag_bits_(table.class_bits + table.repeat_bits) {
    for (const Column& column : table.columns)
      if (column.bit >= 0) bit_columns_ |= std::uint64_t(1) << column.bit;
  }

  // Begins a node: all that follows is about its rows.
  void start(const NodeView<std::int32_t>& view) {
    n_ = view.open.size();
    varied_ = 0;
    if (bit_columns_ == 0) return;
    const std::uint64_t* bits = view.codes().bits.data();
    const EntryBits bits_of = view.table;
    const Entry* entries = view.begin();
    std::uint64_t any = 0, all = ~any;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const Entry entry = entries[i];
      const std::uint64_t word = bits[bits_of.row(entry)];
      bits_[i] = word;
      classes_[i] = static_cast<std::uint8_t>(bits_of.class_of(entry));
      times_[i] = bits_of.times(entry);
      any |= word;
      all &= word;
    }
    varied_ = any & ~all;
  }

  // Of 64 columns from `first` on, those in which the rows may differ: a bit each.
  std::uint64_t may_differ(std::size_t first) const {
    return first == 0 ? varied_ | ~bit_columns_ : ~std::uint64_t(0);
  }

  // Writes the best cut of a column where another one stood before.
  void find_best_cut(const NodeView<std::int32_t>& view, const Column& column, Candidate& best) {
    best.valid = false;
    if (!may_be_cut(view)) return;
    if (column.bit >= 0)
      cut_bit(view, column, best);
    else
      cut_keys_of(view, column, best);
  }

 private:
  static constexpr int kMostClasses = 64;
  static constexpr std::uint32_t kLanes = 8;

  void cut_bit(const NodeView<std::int32_t>& view, const Column& column, Candidate& best) const {
    std::int32_t ones[kMostClasses];
    std::fill_n(ones, view.table.n_classes, 0);
    for (std::uint32_t i = 0, n = n_; i < n; ++i)
      ones[classes_[i]] += times_[i] & -static_cast<std::int32_t>(bits_[i] >> column.bit & 1);
    const GiniCut cut = cut_after(view, ones);  // the other way round, which is all the same
    if (cut.low < least_ || cut.high < least_) return;
    write_cut(view, cut.information(), best);
    best.code = 0;
    best.next_code = 1;
  }

  void cut_keys_of(const NodeView<std::int32_t>& view, const Column& column, Candidate& best) {
    view.codes().with_codes(column, n_, [&, entries = view.begin()](auto code_of) {
      for (std::uint32_t i = 0; i < n_; ++i)
        keys_[i] = code_of(entries[i] >> tag_bits_) << tag_bits_ |
                   static_cast<std::int32_t>(entries[i] & tag_mask_);
    });
    sort_keys();
    ClassOnLowSide classes[kMostClasses];
    const GiniCut cut = best_gini_cut(view.table, SortedKeys{sorted_, tag_mask_}, n_, view.counts,
                                      least_, view.worth, classes);
    if (cut.position == 0) return;
    write_cut(view, cut.information(), best);
    best.code = static_cast<std::int32_t>(sorted_[cut.position - 1] >> tag_bits_);
    best.next_code = static_cast<std::int32_t>(sorted_[cut.position] >> tag_bits_);
  }

  // A key's place is the number of keys below it. Equal ones have the same place, and the places
  // after it that nobody has are theirs.
  void sort_keys() {
    std::fill_n(sorted_, n_, 0u);
    for (std::uint32_t begin = 0; begin < n_; begin += kLanes) {
      std::int32_t places[kLanes] = {};
      for (std::uint32_t i = 0; i < n_; ++i)
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
          places[lane] += keys_[i] < keys_[begin + lane];
      const std::uint32_t n = std::min(kLanes, n_ - begin);
      for (std::uint32_t lane = 0; lane < n; ++lane)
        sorted_[places[lane]] = static_cast<std::uint32_t>(keys_[begin + lane]);
    }
    for (std::uint32_t i = 1; i < n_; ++i) sorted_[i] = std::max(sorted_[i], sorted_[i - 1]);
  }

  const std::uint32_t least_, tag_mask_;
  const int tag_bits_;
  std::uint32_t n_ = 0;
  std::uint64_t bit_columns_ = 0, varied_ = 0;
  std::uint64_t bits_[kMost];  // of every row
  std::uint8_t classes_[kMost];
  std::int32_t times_[kMost];
  std::int32_t keys_[kMost] = {};  // signed: compared faster
  std::uint32_t sorted_[kMost] = {};
};

}  // namespace plaintree
