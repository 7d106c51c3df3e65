// The least weight of a branch where rows are divided.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/params.h"
#include "table/training_table.h"

namespace plaintree {

// Parts of rows could be split for ever: a branch weighs no less than the lightest training row.
// Rows that are whole are not affected. C4.5's minimum weights, which are greater, stay as they
// are. `divides`: whether rows are divided; `lightest` is above zero, in units.
inline Params with_least_weight(Params params, bool divides, std::int64_t lightest, double unit) {
  constexpr double kNearly = 1 - 1e-9;  // the parts of a row add up to it but for rounding
  if (!divides || !params.every_branch) return params;
  const double least = static_cast<double>(lightest) * unit * kNearly;
  params.min_branch_weight = std::max(params.min_branch_weight, least);
  return params;
}

inline Params with_least_weight(const Params& params, const TrainingTable& table) {
  if (params.missing != Missing::Fractional || !table.has_gaps()) return params;
  std::int64_t lightest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t weight : table.weights)
    if (weight > 0) lightest = std::min(lightest, weight);
  return with_least_weight(params, true, lightest, table.unit);
}

}  // namespace plaintree
