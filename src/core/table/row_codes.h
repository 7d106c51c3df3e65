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

#include "base/large_pages.h"
#include "table/column_view.h"

namespace plaintree {

struct Column {
  enum class Store : std::uint8_t { Bytes, Wide, Sorted };
  ColumnView view;
  Store store = Store::Sorted;
  bool numeric = true;
  bool has_missing = false;
  std::int8_t monotonic = 0;  // see Params
  bool many_valued = false;   // left out of C4.5's average gain
  int n_codes = 0;            // or ranks: how many values; the code of missing values is n_codes
  int position = 0;           // among the columns of the same store; not of those with a bit
  std::size_t offset = 0;  // bytes: first cell of its count table, in units of one code's classes
  int bit = -1;            // bytes: its place in `bits` instead, if any: the column's own number
  // By code or rank: the least and, where there are bins, the greatest value. Always there for
  // numeric codes; for sorted columns only when bins or data-value thresholds ask for them.
  std::vector<double> least, bin_greatest;

  bool is_in_matrix() const { return store == Store::Bytes && bit < 0; }
  const std::vector<double>& greatest() const {
    return bin_greatest.empty() ? least : bin_greatest;
  }
};

// Codes of one column, or of several columns row by row: upper bits, and lower ones somewhere else,
// where two bytes are too few. Where many rows are looked at, the upper bits mostly do, and half
// the memory is read.
class SplitCodes {
 public:
  // Where the lower bits are: after the upper ones of all rows, or of their own row.
  enum class Lower : std::uint8_t { Apart, Beside };

  void resize(std::size_t n_rows, std::size_t width, int n_codes, Lower where) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(n_codes)));
    arrange(n_rows, width, std::max(0, bits - 16), where);
  }
  bool empty() const { return codes_.empty(); }
  int lower_bits() const { return lower_bits_; }
  std::size_t stride() const { return stride_; }  // from a row's code to the next row's
  const std::uint16_t* uppers(std::size_t column) const { return codes_.data() + column; }

  void set(std::size_t row, std::size_t column, std::int32_t code) {
    std::uint16_t* to = codes_.data() + row * stride_ + column;
    *to = static_cast<std::uint16_t>(code >> lower_bits_);
    if (lower_bits_ > 0)
      to[to_lower_] = static_cast<std::uint16_t>(code & ((1 << lower_bits_) - 1));
  }

  // Calls use(code_of) for one of the columns.
  template <class Use>
  void with(std::size_t column, Use use) const {
    const std::uint16_t* upper = uppers(column);
    if (lower_bits_ == 0)
      use([=, stride = stride_](std::uint32_t row) -> std::int32_t { return upper[row * stride]; });
    else
      use([=, stride = stride_, bits = lower_bits_, lower = upper + to_lower_](std::uint32_t row) {
        return static_cast<std::int32_t>(upper[row * stride]) << bits | lower[row * stride];
      });
  }

  // These rows of other codes, as rows 0, 1, 2 ...
  void take(const SplitCodes& from, std::span<const std::uint32_t> rows) {
    arrange(rows.size(), from.width_, from.lower_bits_, Lower::Apart);
    std::uint16_t *upper = codes_.data(), *lower = upper + to_lower_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint16_t* later = from.row(rows[std::min(i + kAhead, rows.size() - 1)]);
      __builtin_prefetch(later);
      __builtin_prefetch(later + width_ - 1);
      const std::uint16_t* row = from.row(rows[i]);
      upper = std::copy_n(row, width_, upper);
      if (lower_bits_ == 0) continue;
      __builtin_prefetch(later + from.to_lower_ + width_ - 1);
      lower = std::copy_n(row + from.to_lower_, width_, lower);
    }
  }

 private:
  void arrange(std::size_t n_rows, std::size_t width, int lower_bits, Lower where) {
    const bool split = lower_bits > 0, beside = split && where == Lower::Beside;
    lower_bits_ = lower_bits;
    width_ = width;
    stride_ = beside ? 2 * width : width;
    to_lower_ = beside ? width : n_rows * width;
    make_room(codes_, n_rows * width * (1 + split));
  }

  const std::uint16_t* row(std::size_t i) const { return codes_.data() + i * stride_; }

  static constexpr std::size_t kAhead = 16;
  std::vector<std::uint16_t> codes_;  // may be longer
  std::size_t width_ = 1, stride_ = 1, to_lower_ = 0;
  int lower_bits_ = 0;
};

// The coded columns of all rows, or of the rows of one node, renumbered: then they lie close
// together, where the nodes below it find them faster.
struct RowCodes {
  std::uint32_t n_rows = 0;
  std::size_t n_bytes = 0;          // byte columns without a bit
  std::size_t n_wide = 0;           // wide columns
  std::vector<std::uint8_t> bytes;  // n_rows x n_bytes, row-major
  std::vector<std::uint64_t> bits;  // by row: byte columns of two codes, where columns are drawn
  std::vector<SplitCodes> wide;     // per wide column; not of a node's rows
  SplitCodes wide_rows;             // the same row by row, where columns are drawn

  // A wide column by itself, or null: where rows are few and far between, `n` of them, the codes of
  // a row had better be side by side.
  const SplitCodes* by_column(const Column& column, std::uint32_t n) const {
    const bool by_row = wide.empty() || (n < n_rows / 32 && !wide_rows.empty());
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
      codes->with(0, use);
    } else {
      wide_rows.with(static_cast<std::size_t>(column.position), use);
    }
  }

  // How many bits of a wide column's codes are lower ones.
  int lower_bits(const Column& column, std::uint32_t n) const {
    const SplitCodes* own = by_column(column, n);
    return (own ? *own : wide_rows).lower_bits();
  }

  std::size_t size_in_bytes() const {
    const std::size_t wide_bytes = (wide_rows.lower_bits() > 0 ? 4 : 2) * n_wide;
    return n_rows * (n_bytes + (bits.empty() ? 0 : 8) + wide_bytes);
  }

  // These rows of another table, as rows 0, 1, 2 ...
  void take(const RowCodes& from, std::span<const std::uint32_t> rows) {
    n_rows = static_cast<std::uint32_t>(rows.size());
    n_bytes = from.n_bytes;
    n_wide = from.n_wide;
    if (n_bytes > 0) {
      make_room(bytes, rows.size() * n_bytes);
      std::uint8_t* to = bytes.data();
      for (const std::uint32_t row : rows)
        to = std::copy_n(from.bytes.data() + row * n_bytes, n_bytes, to);
    }
    if (!from.bits.empty()) {
      make_room(bits, rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) bits[i] = from.bits[rows[i]];
    }
    if (n_wide > 0) wide_rows.take(from.wide_rows, rows);
  }
};

}  // namespace plaintree
