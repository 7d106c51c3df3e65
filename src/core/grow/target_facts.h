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

namespace plaintree {

struct TargetFacts {
  double value = 0;     // the prediction
  double impurity = 0;  // per weight; 0: all targets are equal
  bool is_known = false;
  std::int64_t range = 0;  // from the least target to the greatest, in units
};

// Adds numbers of at most `bound`, and `total` weight of them, in any order with the same result.
class OrderlessSum {
 public:
  OrderlessSum(double bound, double total)
      : scale_(std::ldexp(1.0, 61 - exponent(bound * total))) {}

  void add(double term) {
    const double scaled = term * scale_;
    const std::int64_t whole = std::llrint(scaled);
    whole_ += whole;
    parts_ += std::llrint((scaled - static_cast<double>(whole)) * kParts);
  }
  double value() const {
    return (static_cast<double>(whole_) + static_cast<double>(parts_) / kParts) / scale_;
  }

 private:
  static constexpr double kParts = 1 << 30;
  static int exponent(double number) { return number > 0 ? std::ilogb(number) + 2 : 0; }

  double scale_;
  std::int64_t whole_ = 0, parts_ = 0;
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
  const double total = static_cast<double>(sums[0]), unit = measure.target_unit;
  // From an integer near the mean, so that no digits are lost.
  const auto centre = static_cast<std::int64_t>(sums[1] / sums[0]);
  const double rest = static_cast<double>(sums[1] - centre * sums[0]) / total;
  const auto mean_of = [&](auto distance_of) {
    const auto distance = [=](std::int64_t target) {
      return distance_of((static_cast<double>(target - centre) - rest) * unit);
    };
    OrderlessSum sum(std::max(distance(least), distance(most)), total);
    each_row([&](std::int64_t target, std::int64_t weight) {
      sum.add(distance(target) * static_cast<double>(weight));
    });
    return sum.value() / total;
  };
  if (measure.params->criterion == Criterion::Poisson)
    facts.impurity = mean_of(
        [mean = facts.value](double deviation) { return mean * half_deviance(deviation / mean); });
  else
    facts.impurity = mean_of([](double deviation) { return deviation * deviation; });
  return facts;
}

}  // namespace plaintree
