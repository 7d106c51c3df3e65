// How far the targets of a group of rows are from their mean, added up in any order of rows.
#pragma once

#include <cmath>
#include <cstdint>

#include "stats/target_measure.h"

namespace plaintree {

// Adds numbers of at most `bound`, and `total` weight of them, in any order with the same result:
// they are rounded to integers of a unit first.
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
  // What was added elsewhere.
  void add(std::int64_t whole, std::int64_t parts) {
    whole_ += whole;
    parts_ += parts;
  }
  double value() const {
    return (static_cast<double>(whole_) + static_cast<double>(parts_) / kParts) / scale_;
  }
  std::int64_t whole() const { return whole_; }
  std::int64_t parts() const { return parts_; }

 private:
  static constexpr double kParts = 1 << 30;
  static int exponent(double number) { return number > 0 ? std::ilogb(number) + 2 : 0; }

  double scale_;
  std::int64_t whole_ = 0, parts_ = 0;
};

// Squared deviations, or half the Poisson deviance, of a group whose mean is known.
class TargetSpread {
 public:
  // `centre`: an integer near the mean, from which `rest` leads to it; so no digits are lost.
  TargetSpread(Criterion criterion, double unit, std::int64_t centre, double rest, double mean,
               double bound, double total)
      : criterion_(criterion),
        unit_(unit),
        centre_(centre),
        rest_(rest),
        mean_(mean),
        sum_(bound, total) {}

  double distance(std::int64_t target) const {
    const double deviation = (static_cast<double>(target - centre_) - rest_) * unit_;
    if (criterion_ == Criterion::Poisson) return mean_ * half_deviance(deviation / mean_);
    return deviation * deviation;
  }
  void add(std::int64_t target, std::int64_t weight) {
    sum_.add(distance(target) * static_cast<double>(weight));
  }
  OrderlessSum& sum() { return sum_; }

 private:
  Criterion criterion_;
  double unit_;
  std::int64_t centre_;
  double rest_, mean_;
  OrderlessSum sum_;
};

// The same, of a group with these sums whose targets lie in this range.
struct SpreadParts {
  std::int64_t centre;
  double rest, mean, bound, total;

  SpreadParts(const TargetMeasure& measure, const WideInt* sums, std::int64_t least,
              std::int64_t most)
      : centre(static_cast<std::int64_t>(sums[1] / sums[0])),
        rest(0),
        mean(measure.mean(sums)),
        bound(0),
        total(static_cast<double>(sums[0])) {
    rest = static_cast<double>(sums[1] - centre * sums[0]) / total;
    const TargetSpread spread = of(measure);
    bound = std::max(spread.distance(least), spread.distance(most));
  }
  TargetSpread of(const TargetMeasure& measure) const {
    return {measure.params->criterion, measure.target_unit, centre, rest, mean, bound, total};
  }
};

}  // namespace plaintree
