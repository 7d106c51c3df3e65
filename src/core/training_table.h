// The training table as the engine works on it, made once from the caller's columns.
//
//   entry   a row number with the row's class in its low bits, so that scanning entries needs
//           no look-up of classes (where both fit 32 bits; otherwise the class is looked up). In a
//           sample with repetitions the bits between say how often the row is there, less one
//   item    an entry and the rank of its value in one column: the element of a sorted list
//   code    a category, or the rank of a value in a numeric column of few distinct values
//   unit    weights are whole multiples of a unit (a power of two), so that sums are exact and
//           do not depend on the order of rows, threads or machines; unweighted rows count 1
//
// A column is one of
//   bytes   up to 255 codes: a byte in a row-major matrix, counted into small tables
//   wide    more codes than that, in an array of their own; a node's rows are sorted by code
//   sorted  a numeric column of many values: items in the order of their ranks, missing ones last
// A numeric column of many values is sorted where every node looks at it, and wide where nodes
// look at a few columns drawn at random: keeping the lists of all columns sorted would cost more.
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
inline constexpr int kRepeatBits = 4;  // rows drawn more often than 16 times have several entries

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
  int bit = -1;              // bytes: its place in `bits`, if it has one
  // By code or rank: the least and, where there are bins, the greatest value. Always there for
  // numeric codes; for sorted columns only when bins or data-value thresholds ask for them.
  std::vector<double> least, bin_greatest;

  const std::vector<double>& greatest() const {
    return bin_greatest.empty() ? least : bin_greatest;
  }
};

// Codes of one column, or of several row by row, in two bytes each where they fit.
struct WideCodes {
  std::vector<std::uint16_t> narrow;
  std::vector<std::int32_t> wide;

  bool empty() const { return narrow.empty() && wide.empty(); }
  void resize(std::size_t n, int n_codes) {
    if (n_codes <= 0xFFFF)
      narrow.resize(n);
    else
      wide.resize(n);
  }
  void set(std::size_t i, std::int32_t code) {
    if (wide.empty())
      narrow[i] = static_cast<std::uint16_t>(code);
    else
      wide[i] = code;
  }
  std::int32_t operator[](std::size_t i) const { return wide.empty() ? narrow[i] : wide[i]; }

  // Calls use(code_of) for the column at `first` of `width` columns.
  template <class Use>
  void with(std::size_t first, std::size_t width, Use use) const {
    if (wide.empty())
      use([codes = narrow.data() + first, width](std::uint32_t row) -> std::int32_t {
        return codes[row * width];
      });
    else
      use([codes = wide.data() + first, width](std::uint32_t row) { return codes[row * width]; });
  }
};

struct TrainingTable {
  std::uint32_t n_rows = 0;  // of the caller's table
  int n_classes = 0;
  int class_bits = 0;                 // low bits of an entry; 0: look the class up
  int repeat_bits = 0;                // the bits above them; 0: rows are not repeated
  std::vector<std::int32_t> classes;  // of every row; empty where entries hold them
  std::vector<std::int64_t> weights;  // in units; empty: every row counts 1
  double unit = 1;
  std::vector<Entry> entries;  // rows of positive weight
  std::vector<Column> columns;
  std::vector<std::uint8_t> bytes;  // n_rows x n_bytes, row-major
  std::vector<std::uint64_t> bits;  // by row: byte columns of two codes, where columns are drawn
  int n_bytes = 0;
  std::vector<std::size_t> byte_offsets;  // per byte column: its offset times the classes
  std::size_t n_byte_codes = 0;           // of all byte columns together, missing ones included
  std::vector<WideCodes> wide;            // per wide column
  WideCodes wide_rows;                    // the same row by row, where columns are drawn
  std::vector<std::vector<Item>> sorted;  // per sorted column, items of `entries`

  std::uint32_t row(Entry e) const { return e >> (class_bits + repeat_bits); }
  int class_of(Entry e) const {
    return class_bits ? static_cast<int>(e & ((1u << class_bits) - 1)) : classes[e];
  }
  // How often a row is there.
  std::int32_t times(Entry e) const {
    return 1 + static_cast<std::int32_t>(e >> class_bits & ((1u << repeat_bits) - 1));
  }
  // Calls use(code_of), where code_of(row) is a row's code in a coded column. `n` rows will be
  // looked up: if they are few and far between, the codes of a row had better be side by side.
  template <class Use>
  void with_codes(const Column& column, std::uint32_t n, Use use) const {
    if (column.bit >= 0) {
      const std::uint64_t* words = bits.data();
      const int bit = column.bit;
      use([=](std::uint32_t row) { return static_cast<std::int32_t>(words[row] >> bit & 1); });
    } else if (column.store == Column::Store::Bytes) {
      const std::uint8_t* codes = bytes.data() + column.position;
      const auto width = static_cast<std::size_t>(n_bytes);
      use([=](std::uint32_t row) -> std::int32_t { return codes[row * width]; });
    } else if (n < n_rows / 8 && !wide_rows.empty()) {
      wide_rows.with(static_cast<std::size_t>(column.position), wide.size(), use);
    } else {
      wide[column.position].with(0, 1, use);
    }
  }
  bool has_gaps() const {
    for (const Column& column : columns)
      if (column.has_missing) return true;
    return false;
  }
};

// What a caller gives to be learnt from; `weights` may be empty.
struct Examples {
  std::span<const ColumnView> columns;
  std::span<const std::int32_t> classes;
  int n_classes;
  std::span<const double> weights;
};

// With `repeats`, entries have room to say how often a row is in a sample.
TrainingTable make_training_table(const Examples& examples, const Params& params, bool repeats,
                                  Team& team);

}  // namespace plaintree
