// The training table as the engine works on it, made once from the caller's columns.
//
//   entry   a row number with the row's class in its low bits, so that scanning entries needs
//           no look-up of classes (where both fit 32 bits; otherwise the class is looked up)
//   item    an entry and the rank of its value in one column: the element of a sorted list
//   code    a category, or the rank of a value in a numeric column of few distinct values
//   unit    weights are whole multiples of a unit (a power of two), so that sums are exact and
//           do not depend on the order of rows, threads or machines; unweighted rows count 1
//
// A column is one of
//   bytes   up to 255 codes: a byte in a row-major matrix, counted into small tables
//   wide    more categories than that: codes in an array of their own
//   sorted  a numeric column of many values: items in the order of their ranks, missing ones last
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "params.h"
#include "team.h"

namespace plaintree {

using Entry = std::uint32_t;

struct Item {
  Entry entry;
  std::uint32_t rank;
};
inline constexpr std::uint32_t kMissingRank = 0xFFFFFFFFu;

struct Column {
  enum class Store : std::uint8_t { Bytes, Wide, Sorted };
  ColumnView view;
  Store store = Store::Sorted;
  bool numeric = true;
  bool has_missing = false;
  bool many_valued = false;  // left out of C4.5's average gain
  int n_codes = 0;           // of bytes and wide; the code of missing values is n_codes
  int position = 0;          // among the columns of the same store
  std::size_t offset = 0;    // bytes: first cell of its count table, in units of one code's classes
  // By code or rank: the least and the greatest value (they differ in a bin). Always there for
  // numeric bytes; for sorted columns only when bins or data-value thresholds ask for them.
  std::vector<double> least, greatest;
};

struct TrainingTable {
  std::uint32_t n_rows = 0;  // of the caller's table
  int n_classes = 0;
  int class_bits = 0;                 // low bits of an entry; 0: look the class up
  std::vector<std::int32_t> classes;  // of every row; empty where entries hold them
  std::vector<std::int64_t> weights;  // in units; empty: every row counts 1
  double unit = 1;
  std::vector<Entry> entries;  // rows of positive weight
  std::vector<Column> columns;
  std::vector<std::uint8_t> bytes;  // n_rows x n_bytes, row-major
  int n_bytes = 0;
  std::vector<std::size_t> byte_offsets;  // per byte column: its offset times the classes
  std::size_t n_byte_codes = 0;           // of all byte columns together, missing ones included
  std::vector<std::vector<std::int32_t>> wide;  // per wide column, codes by row
  std::vector<std::vector<Item>> sorted;        // per sorted column, items of `entries`

  std::uint32_t row(Entry e) const { return e >> class_bits; }
  int class_of(Entry e) const {
    return class_bits ? static_cast<int>(e & ((1u << class_bits) - 1)) : classes[e];
  }
};

// `weights` may be empty. With `fractional` the table gets weights even if none are given.
TrainingTable make_training_table(std::span<const ColumnView> columns,
                                  std::span<const std::int32_t> classes, int n_classes,
                                  std::span<const double> weights, const Params& params,
                                  Team& team);

}  // namespace plaintree
