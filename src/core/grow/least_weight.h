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
// are.
inline Params with_least_weight(Params params, const TrainingTable& table) {
  constexpr double kNearly = 1 - 1e-9;  // the parts of a row add up to it but for rounding
  if (params.missing != Missing::Fractional || !params.every_branch || !table.has_gaps())
    return params;
  std::int64_t lightest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t weight : table.weights)
    if (weight > 0) lightest = std::min(lightest, weight);
  const double least = static_cast<double>(lightest) * table.unit * kNearly;
  params.min_branch_weight = std::max(params.min_branch_weight, least);
  return params;
}

}  // namespace plaintree
