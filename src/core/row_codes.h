// The columns of the training table, and the codes of its rows as nodes look them up.
//
// A column is one of
//   bytes   up to 255 codes: a byte in a row-major matrix, counted into small tables
//   wide    more codes than that, in an array of their own; a node's rows are sorted by code
//   sorted  a numeric column of many values: items in the order of their ranks, missing ones last
// A numeric column of many values is sorted where every node looks at it, and wide where nodes
// look at a few columns drawn at random: keeping the lists of all columns sorted would cost more.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "large_pages.h"
#include "params.h"

namespace plaintree {

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
  int bit = -1;              // bytes: its place in `bits`, if it has one: the column's own number
  // By code or rank: the least and, where there are bins, the greatest value. Always there for
  // numeric codes; for sorted columns only when bins or data-value thresholds ask for them.
  std::vector<double> least, bin_greatest;

  const std::vector<double>& greatest() const {
    return bin_greatest.empty() ? least : bin_greatest;
  }
};

// Codes of one column, or of several columns row by row: all upper bits, then all lower ones, where
// two bytes are too few. Where many rows are looked at, the upper bits mostly do, and half the
// memory is read.
struct SplitCodes {
  std::vector<std::uint16_t> upper, lower;
  int shift = 0;  // how many bits are lower ones

  void resize(std::size_t n, int n_codes) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(n_codes)));
    shift = std::max(0, bits - 16);
    resize_large(upper, n);
    if (shift > 0) resize_large(lower, n);
  }
  void set(std::size_t i, std::int32_t code) {
    upper[i] = static_cast<std::uint16_t>(code >> shift);
    if (shift > 0) lower[i] = static_cast<std::uint16_t>(code & ((1 << shift) - 1));
  }

  // Calls use(code_of) for the column at `first` of `width` columns.
  template <class Use>
  void with(std::size_t first, std::size_t width, Use use) const {
    const std::uint16_t* high = upper.data() + first;
    if (shift == 0)
      use([=](std::uint32_t row) -> std::int32_t { return high[row * width]; });
    else
      use([=, low = lower.data() + first, bits = shift](std::uint32_t row) {
        return static_cast<std::int32_t>(high[row * width]) << bits | low[row * width];
      });
  }
};

// The coded columns of all rows, or of the rows of one node, numbered anew: then they lie close
// together, where the nodes below it find them faster.
struct RowCodes {
  std::uint32_t n_rows = 0;
  std::size_t n_bytes = 0;          // byte columns
  std::size_t n_wide = 0;           // wide columns
  std::vector<std::uint8_t> bytes;  // n_rows x n_bytes, row-major
  std::vector<std::uint64_t> bits;  // by row: byte columns of two codes, where columns are drawn
  std::vector<SplitCodes> wide;     // per wide column; not of a node's rows
  SplitCodes wide_rows;             // the same row by row, where columns are drawn

  // A wide column by itself, or null: where rows are few and far between, `n` of them, the codes of
  // a row had better be side by side.
  const SplitCodes* by_column(const Column& column, std::uint32_t n) const {
    const bool by_row = wide.empty() || (n < n_rows / 32 && !wide_rows.upper.empty());
    return by_row ? nullptr : &wide[column.position];
  }

  // Calls use(code_of), where code_of(row) is a row's code in a coded column. `n` rows will be
  // looked up.
  template <class Use>
  void with_codes(const Column& column, std::uint32_t n, Use use) const {
    if (column.bit >= 0) {
      const std::uint64_t* words = bits.data();
      const int bit = column.bit;
      use([=](std::uint32_t row) { return static_cast<std::int32_t>(words[row] >> bit & 1); });
    } else if (column.store == Column::Store::Bytes) {
      const std::uint8_t* codes = bytes.data() + column.position;
      const std::size_t width = n_bytes;
      use([=](std::uint32_t row) -> std::int32_t { return codes[row * width]; });
    } else if (const SplitCodes* codes = by_column(column, n)) {
      codes->with(0, 1, use);
    } else {
      wide_rows.with(static_cast<std::size_t>(column.position), n_wide, use);
    }
  }

  // How many bits of a wide column's codes are lower ones.
  int lower_bits(const Column& column, std::uint32_t n) const {
    const SplitCodes* own = by_column(column, n);
    return own ? own->shift : wide_rows.shift;
  }

  std::size_t size_in_bytes() const {
    return bytes.size() + 8 * bits.size() + 2 * wide_rows.upper.size() + 2 * wide_rows.lower.size();
  }

  // These rows of another table, as rows 0, 1, 2 ...
  void take(const RowCodes& from, std::span<const std::uint32_t> rows) {
    n_rows = static_cast<std::uint32_t>(rows.size());
    n_bytes = from.n_bytes;
    n_wide = from.n_wide;
    take_rows(from.bytes, rows, n_bytes, bytes);
    take_rows(from.bits, rows, 1, bits);
    take_rows(from.wide_rows.upper, rows, n_wide, wide_rows.upper);
    take_rows(from.wide_rows.lower, rows, n_wide, wide_rows.lower);
    wide_rows.shift = from.wide_rows.shift;
  }

 private:
  template <class T>
  static void take_rows(const std::vector<T>& from, std::span<const std::uint32_t> rows,
                        std::size_t width, std::vector<T>& to) {
    const std::size_t n = from.empty() ? 0 : rows.size() * width;
    if (to.capacity() < n) {
      to = {};
      reserve_large(to, n);
    }
    to.resize(n);
    if (to.empty()) return;
    T* next = to.data();
    if (width == 1) {
      for (const std::uint32_t row : rows) *next++ = from[row];
      return;
    }
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const T* later = &from[rows[std::min(i + kAhead, rows.size() - 1)] * width];
      __builtin_prefetch(later);
      __builtin_prefetch(later + width - 1);
      next = std::copy_n(&from[rows[i] * width], width, next);
    }
  }
};

}  // namespace plaintree
