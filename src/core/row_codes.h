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

// Codes of one column, or of several row by row, in two bytes each where they fit.
struct WideCodes {
  std::vector<std::uint16_t> narrow;
  std::vector<std::int32_t> wide;

  bool empty() const { return narrow.empty() && wide.empty(); }
  void resize(std::size_t n, int n_codes) {
    const auto resize_large = [n](auto& codes) {
      reserve_large(codes, n);
      codes.resize(n);
    };
    if (n_codes <= 0xFFFF)
      resize_large(narrow);
    else
      resize_large(wide);
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

// The coded columns of all rows, or of the rows of one node, numbered anew: then they lie close
// together, where the nodes below it find them faster.
struct RowCodes {
  std::uint32_t n_rows = 0;
  std::size_t n_bytes = 0;          // byte columns
  std::size_t n_wide = 0;           // wide columns
  std::vector<std::uint8_t> bytes;  // n_rows x n_bytes, row-major
  std::vector<std::uint64_t> bits;  // by row: byte columns of two codes, where columns are drawn
  std::vector<WideCodes> wide;      // per wide column; not of a node's rows
  WideCodes wide_rows;              // the same row by row, where columns are drawn

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
      const std::size_t width = n_bytes;
      use([=](std::uint32_t row) -> std::int32_t { return codes[row * width]; });
    } else if (wide.empty() || (n < n_rows / 32 && !wide_rows.empty())) {
      wide_rows.with(static_cast<std::size_t>(column.position), n_wide, use);
    } else {
      wide[column.position].with(0, 1, use);
    }
  }

  std::size_t size_in_bytes() const {
    return bytes.size() + 8 * bits.size() + 2 * wide_rows.narrow.size() + 4 * wide_rows.wide.size();
  }

  // These rows of another table, as rows 0, 1, 2 ...
  void take(const RowCodes& from, std::span<const std::uint32_t> rows) {
    n_rows = static_cast<std::uint32_t>(rows.size());
    n_bytes = from.n_bytes;
    n_wide = from.n_wide;
    take_rows(from.bytes, rows, n_bytes, bytes);
    take_rows(from.bits, rows, 1, bits);
    take_rows(from.wide_rows.narrow, rows, n_wide, wide_rows.narrow);
    take_rows(from.wide_rows.wide, rows, n_wide, wide_rows.wide);
  }

 private:
  template <class T>
  static void take_rows(const std::vector<T>& from, std::span<const std::uint32_t> rows,
                        std::size_t width, std::vector<T>& to) {
    to.resize(from.empty() ? 0 : rows.size() * width);
    if (to.empty()) return;
    T* next = to.data();
    if (width == 1) {
      for (const std::uint32_t row : rows) *next++ = from[row];
      return;
    }
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      __builtin_prefetch(&from[rows[std::min(i + kAhead, rows.size() - 1)] * width]);
      next = std::copy_n(&from[rows[i] * width], width, next);
    }
  }
};

}  // namespace plaintree
