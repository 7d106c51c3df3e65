// The threshold of a cut: where between two neighbouring values it lies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/params.h"
#include "table/training_table.h"

namespace plaintree {

// The values on both sides of a cut, and the ranks between which training values may lie.
struct Gap {
  double low, high;
  std::size_t first, last;
};

inline Gap gap_between_codes(const Column& column, std::int32_t code, std::int32_t next_code) {
  const auto first = static_cast<std::size_t>(code), last = static_cast<std::size_t>(next_code);
  return {column.greatest()[first], column.least[last], first, last};
}

// Where the column does not keep its values, they are those of two rows of the caller's table. No
// training values will be looked for between them.
inline Gap gap_between_rows(const Column& column, std::int32_t row, std::int32_t next_row) {
  const auto value = [&](std::int32_t of) { return column.view.number(std::size_t(of)) + 0.0; };
  return {value(row), value(next_row), 0, 0};
}

inline Gap gap_between_items(const TrainingTable& table, const Column& column, const Item& below,
                             const Item& above) {
  const bool keeps_values = !column.least.empty();
  const auto place = [&](const Item& item) {
    return static_cast<std::int32_t>(keeps_values ? item.rank : table.row(item.entry));
  };
  return keeps_values ? gap_between_codes(column, place(below), place(above))
                      : gap_between_rows(column, place(below), place(above));
}

// The midpoint between two neighbouring values, or the lower one where rounding misses it.
inline double midpoint(const Gap& gap) {
  const double low = gap.low, high = gap.high;
  double middle = (low + high) / 2;
  if (!std::isfinite(middle) && std::isfinite(low) && std::isfinite(high))
    middle = low / 2 + high / 2;
  return !std::isfinite(low) || !(middle >= low && middle < high) ? low : middle;
}

// Where a numeric column is cut: the midpoint between two neighbouring values, or the largest
// training value not above it.
inline double threshold_in(const Gap& gap, const Column& column, const Params& params) {
  const auto [low, high, first, last] = gap;
  const double middle = midpoint(gap);
  if (!params.data_value_thresholds) return middle;
  const auto begin = column.greatest().begin();
  const auto after = std::upper_bound(begin + first, begin + last, middle);
  return after == begin + first ? low : *(after - 1);
}

}  // namespace plaintree
