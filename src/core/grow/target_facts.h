// What a node of a regression tree predicts, and how far its rows are from that.
//
// Both follow from the targets of the node's rows and do not depend on their order: deviations are
// rounded to integers of a unit before they are added up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/median_tree.h"
#include "stats/target_measure.h"
#include "stats/target_spread.h"

namespace plaintree {

struct TargetFacts {
  double value = 0;     // the prediction
  double impurity = 0;  // per weight; 0: all targets are equal
  bool is_known = false;
  std::int64_t range = 0;  // from the least target to the greatest, in units
};

// The weighted median, and the mean distance from it.
template <class EachRow>
TargetFacts facts_of_median(const TargetMeasure& measure, const WideInt* sums, EachRow each_row) {
  std::vector<TargetWeight> rows;
  each_row([&](std::int64_t target, std::int64_t weight) { rows.push_back({target, weight}); });
  const WideInt twice = twice_the_median(rows);
  WideInt distances = 0;  // twice them, which is a whole number
  for (const TargetWeight& row : rows) {
    const WideInt distance = 2 * static_cast<WideInt>(row.target) - twice;
    distances += (distance < 0 ? -distance : distance) * row.weight;
  }
  const double unit = measure.target_unit / 2;
  TargetFacts facts{static_cast<double>(twice) * unit, 0, true};
  facts.impurity = static_cast<double>(distances) / static_cast<double>(sums[0]) * unit;
  facts.range = rows.back().target - rows.front().target;
  return facts;
}

// Calls each_row(use) to have use(target, weight) called for each row of a group with these sums.
template <class EachRow>
TargetFacts target_facts(const TargetMeasure& measure, const WideInt* sums, EachRow each_row) {
  if (measure.params->criterion == Criterion::AbsoluteError)
    return facts_of_median(measure, sums, each_row);
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = -least;
  each_row([&](std::int64_t target, std::int64_t /*weight*/) {
    least = std::min(least, target);
    most = std::max(most, target);
  });
  TargetFacts facts{measure.mean(sums), 0, true};
  if (least >= most) return facts;
  facts.range = most - least;
  const SpreadParts parts(measure, sums, least, most);
  TargetSpread spread = parts.of(measure);
  each_row([&](std::int64_t target, std::int64_t weight) { spread.add(target, weight); });
  facts.impurity = spread.sum().value() / parts.total;
  return facts;
}

}  // namespace plaintree
