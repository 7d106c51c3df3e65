// How well a split separates a numeric target.
//
//   squared error   a group's information is its sum of squared deviations from its mean
//   poisson         half its deviance from its mean
//
// Both are additive but for a term that all splits of a node share, and that term is left out. What
// is left is a function of the group's weight and sum. Sums are taken from the mean of the node
// before they are squared, and information is divided by the node's impurity: gains are fractions
// of it, so neither the offset nor the scale of the target decides how ties are found.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/params.h"
#include "stats/criterion.h"
#include "stats/sums.h"

namespace plaintree {

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

  double information(const WideInt* group, WideInt total) const {
    if (total <= 0) return 0.0;
    const double w = weight(total);
    if (params->criterion == Criterion::Poisson) {
      const double sum = static_cast<double>(group[1]) * unit * target_unit;
      return sum > 0 ? -sum * std::log(sum / w) / impurity : 0.0;
    }
    const double sum = static_cast<double>(group[1] - centre * total) * unit * target_unit;
    return -(sum * sum) / w / impurity;
  }
};

}  // namespace plaintree
