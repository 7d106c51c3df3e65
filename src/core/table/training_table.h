// The training table as the core works on it, made once from the caller's columns.
//
//   entry   a row number with the row's class in its low bits, so that scanning entries needs
//           no look-up of classes (where both fit 32 bits; otherwise the class is looked up). In a
//           sample with repetitions the bits between say how often the row is there, less one
//   item    an entry and the rank of its value in one column: the element of a sorted list
//   code    a category, or the rank of a value in a numeric column of few distinct values
//   target  a number to be predicted, as an integer of up to 60 bits times a unit
//   unit    weights are integer multiples of a unit (a power of two), so that sums are exact and
//           do not depend on the order of rows, threads or machines; unweighted rows count 1
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/entry.h"
#include "base/params.h"
#include "base/team.h"
#include "table/row_codes.h"

namespace plaintree {

struct Item {
  Entry entry;
  std::uint32_t rank;
};
inline constexpr std::uint32_t kMissingRank = 0xFFFFFFFFu;

struct TrainingTable : EntryBits {
  std::uint32_t n_rows = 0;           // of the caller's table
  int n_classes = 0;                  // 0: the target is numeric
  std::vector<std::int32_t> classes;  // of every row; empty where entries hold them
  std::vector<std::int64_t> targets;  // of every row, in units of their own; empty: classes
  double target_unit = 1;
  std::vector<std::int64_t> weights;  // in units; empty: every row counts 1
  double unit = 1;
  // Weights for what the criterion does not decide, likewise; empty: the same.
  std::vector<std::int64_t> case_weights;
  std::vector<Entry> entries;  // rows of positive weight
  std::vector<Column> columns;
  RowCodes codes;
  std::vector<std::size_t> byte_offsets;  // per byte column: its offset times the classes
  std::size_t n_byte_codes = 0;           // of all byte columns together, missing ones included
  std::vector<std::vector<Item>> sorted;  // per sorted column, items of `entries`

  bool has_targets() const { return n_classes == 0; }
  // How many integers a group of rows is summed up to.
  int width() const { return has_targets() ? 2 : n_classes; }
  int class_of(Entry e) const { return class_bits ? EntryBits::class_of(e) : classes[e]; }
  bool has_gaps() const {
    for (const Column& column : columns)
      if (column.has_missing) return true;
    return false;
  }
};

// What a caller gives to be learnt from: classes or targets; `weights` may be empty.
struct Examples {
  std::span<const ColumnView> columns;
  std::span<const std::int32_t> classes;
  int n_classes;
  std::span<const double> weights;
  std::span<const double> targets = {};
  std::span<const double> case_weights = {};  // for surrogates, if these are others

  std::size_t n_rows() const { return targets.empty() ? classes.size() : targets.size(); }
};

// What is given where the rows are a part of a table, rather than found again from the part.
struct GivenFacts {
  bool in_units = false;  // rows have weights, or are divided: then `weights` are there, in units
  std::span<const std::int64_t> weights = {};
  int unit_bits = 0, target_bits = 0;
  std::vector<bool> many_valued;  // by column
};

// For samples of so many draws with repetitions, if any, entries have bits for how often a row is
// in a sample, and the weights of a sample stay exact.
TrainingTable make_training_table(const Examples& examples, const Params& params,
                                  std::size_t n_draws, Team& team,
                                  const GivenFacts* given = nullptr);

// A target as an integer has so many bits below the point, for targets up to this size.
int target_bits(double largest);

}  // namespace plaintree
