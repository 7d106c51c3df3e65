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

inline Gap gap_between_items(const TrainingTable& table, const Column& column, const Item& below,
                             const Item& above) {
  if (!column.least.empty())
    return {column.greatest()[below.rank], column.least[above.rank], below.rank, above.rank};
  const auto value = [&](const Item& item) { return column.view.number(table.row(item.entry)); };
  return {value(below) + 0.0, value(above) + 0.0, below.rank, above.rank};
}

// Where a numeric column is cut: the midpoint between two neighbouring values, or the largest
// training value not above it.
inline double threshold_in(const Gap& gap, const Column& column, const Params& params) {
  const auto [low, high, first, last] = gap;
  double middle = (low + high) / 2;
  if (!std::isfinite(middle) && std::isfinite(low) && std::isfinite(high))
    middle = low / 2 + high / 2;
  if (!std::isfinite(low) || !(middle >= low && middle < high)) middle = low;
  if (!params.data_value_thresholds) return middle;
  const auto begin = column.greatest().begin();
  const auto after = std::upper_bound(begin + first, begin + last, middle);
  return after == begin + first ? low : *(after - 1);
}

}  // namespace plaintree
