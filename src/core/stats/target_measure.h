// How well a split separates a numeric target.
//
//   squared error   a group's information is its sum of squared deviations from its mean
//   poisson         half its deviance from its mean; a group of zeros is not allowed, because the
//                   deviance of any other target from a prediction of zero is infinite
//
// Both are additive but for a term that all splits of a node share, and that term is left out. What
// is left is a function of the group's weight and sum. Sums are taken from the mean of the node
// first, and information is divided by the node's impurity: gains are fractions of it, so neither
// the offset nor the scale of the target decides how ties are found.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/logarithm.h"
#include "base/params.h"
#include "stats/criterion.h"
#include "stats/sums.h"

namespace plaintree {

// (1 + x) log(1 + x) - x: half the Poisson deviance of a target that exceeds its expectation by
// this share of it, over the expectation. A series near zero, where both terms are nearly equal.
inline double half_deviance(double x) {
  if (x <= -1) return 1.0;
  if (std::fabs(x) > 1e-3) return (1 + x) * natural_log_of_1_plus(x) - x;
  return x * x * (1.0 / 2 - x * (1.0 / 6 - x * (1.0 / 12 - x * (1.0 / 20 - x / 30))));
}

struct TargetMeasure {
  const Params* params;
  double unit;         // of weights
  double target_unit;  // of targets
  // Of the node that is searched.
  WideInt centre = 0;      // near its mean, in units
  double impurity = 1;     // above zero
  std::int64_t range = 0;  // from its least target to its greatest, in units

  static constexpr int n_classes = 2;  // integers of a group
  static constexpr int n_classes_of_table = 1;

  bool convex() const { return false; }
  double weight(WideInt count) const { return static_cast<double>(count) * unit; }
  double x_log_x_of(WideInt count) const { return XLogX::compute(weight(count)); }
  double mean(const WideInt* group) const {
    return static_cast<double>(group[1]) / static_cast<double>(group[0]) * target_unit;
  }

  TargetMeasure of_node(const WideInt* sums, double its_impurity, std::int64_t its_range) const {
    TargetMeasure result = *this;
    result.centre = sums[1] / sums[0];
    result.impurity = its_impurity;
    result.range = its_range;
    return result;
  }

  bool allows(const WideInt* group) const {
    return params->criterion != Criterion::Poisson || group[1] > 0;
  }

  double information(const WideInt* group, WideInt total) const {
    if (total <= 0) return 0.0;
    const double w = weight(total);
    const double sum = static_cast<double>(group[1] - centre * total) * unit * target_unit;
    if (params->criterion == Criterion::Poisson) return -deviance(sum, w) / impurity;
    return -(sum * sum) / w / impurity;
  }

 private:
  // Half the deviance of a group of weight w from the centre, if all its targets were its mean and
  // exceeded the centre by this sum.
  double deviance(double excess, double w) const {
    const double expected = static_cast<double>(centre) * target_unit * w;
    if (expected <= 0) return excess > 0 ? excess * natural_log(excess / w) : 0.0;
    return expected * half_deviance(excess / expected);
  }
};

}  // namespace plaintree
