// How good a cut inside a bucket can be at most.
//
// Of a cut inside, only a box is known: every class has between as many rows on the low side as
// below the bucket, and as many as below its end. What both sides leave open is concave in these
// numbers, so it is least in a corner of the box. Where there are too many corners, the rows of the
// bucket are left out of both sides: what is left open only grows with every row.
// Of numbers, the sum of the low side's distances from the centre is bounded by the distances above
// and below it, and sums of numbers that are not negative by zero.
#pragma once

#include <algorithm>
#include <vector>

#include "levels/pair_counts.h"
#include "search/cuts.h"

namespace plaintree {

// A bucket is closed if its bound is this far below the best cut that is known.
inline double margin_of_bounds(const Params& params, double best) {
  constexpr double kRounding = 4e-9;
  return params.tie_tolerance + kRounding * std::max(1.0, std::fabs(best));
}

template <class Count>
class InsideBounds {
 public:
  InsideBounds(const MeasureOf<Count>& measure, CutSearch<Count>& search)
      : measure_(measure), params_(*measure.params), search_(search) {}

  // The value that no cut inside exceeds. `low` and `high`: known rows below the bucket and below
  // its end. `distances`: of its rows from the centre.
  double operator()(const std::vector<Count>& low, const std::vector<Count>& high,
                    WideInt distances) {
    const int n = static_cast<int>(low.size());
    const Count low_total = settle(low, from_), high_total = settle(high, to_);
    if (!admits_inside(low_total, high_total)) return -kInfinity;
    // A ratio is not bounded where one side has no rows.
    if (is_ratio_of_cut() && (low_total == 0 || high_total == search_.known_and_imputed()))
      return kInfinity;
    if constexpr (SumsOf<Count>::kClasses) {
      int n_free = 0;
      for (int c = 0; c < n; ++c) n_free += to_[c] > from_[c];
      if (n_free <= kMostFree) return of_corners();
      return is_ratio_of_cut() ? kInfinity : without_bucket(low_total, high_total);
    } else {
      const double bound = of_box(low_total, high_total, distances + size_of_imputed(low, high));
      if (params_.criterion != Criterion::Poisson) return bound;
      return std::min(bound, of_sums(low_total, high_total));
    }
  }

 private:
  static constexpr int kMostFree = 5;

  bool is_ratio_of_cut() const {
    return params_.criterion == Criterion::GainRatio && !params_.threshold_by_gain;
  }
  Count settle(const std::vector<Count>& known, std::vector<Count>& side) {
    side = known;
    Count total = SumsOf<Count>::weight(side.data(), static_cast<int>(side.size()));
    if (!search_.imputes()) return total;
    std::uint32_t rows = 0;
    total = search_.adjusted(known.data(), total, rows);
    side.assign(search_.adjusted_sums(), search_.adjusted_sums() + side.size());
    return total;
  }
  bool admits_inside(Count low_total, Count high_total) const {
    const double least = search_.least_weight();
    return high_total > 0 && low_total < search_.known_and_imputed() &&
           measure_.weight(high_total) >= least &&
           measure_.weight(search_.known_and_imputed() - low_total) >= least;
  }

  double of_corners() {
    std::vector<int> free;
    for (std::size_t c = 0; c < from_.size(); ++c)
      if (to_[c] > from_[c]) free.push_back(static_cast<int>(c));
    double best = -kInfinity;
    corner_ = from_;
    for (std::uint32_t chosen = 0; chosen < 1u << free.size(); ++chosen) {
      for (std::size_t i = 0; i < free.size(); ++i)
        corner_[free[i]] = (chosen >> i & 1 ? to_ : from_)[free[i]];
      const Count total = SumsOf<Count>::weight(corner_.data(), static_cast<int>(corner_.size()));
      best = std::max(best, search_.worth(corner_.data(), total).value);
    }
    return best;
  }

  double without_bucket(Count low_total, Count high_total) {
    const Count all = search_.known_and_imputed();
    const Count* sums = search_.sums_known_and_imputed();
    corner_.resize(from_.size());
    for (std::size_t c = 0; c < corner_.size(); ++c) corner_[c] = sums[c] - to_[c];
    const double information = measure_.information(from_.data(), low_total) +
                               measure_.information(corner_.data(), all - high_total);
    return search_.worth(information, low_total).value;
  }

  // The sum of the rows between two sides, from the centre.
  WideInt excess_of(const std::vector<Count>& from, const std::vector<Count>& to) const {
    return (to[1] - from[1]) - measure_.centre * (to[0] - from[0]);
  }
  // Imputed rows are on the low side, all of them or none.
  WideInt size_of_imputed(const std::vector<Count>& low, const std::vector<Count>& high) const {
    const WideInt excess = excess_of(from_, to_) - excess_of(low, high);
    return excess < 0 ? -excess : excess;
  }

  // `distances`: of the rows of the bucket from the centre, and of the imputed ones together.
  double of_box(Count low_total, Count high_total, WideInt distances) {
    // The sum of all rows of the bucket, from the centre, is above - below.
    const WideInt centre = measure_.centre, excess = excess_of(from_, to_);
    const WideInt below = (distances - excess + 1) / 2, above = (distances + excess + 1) / 2;
    double best = -kInfinity;
    for (const Count total : {low_total, high_total}) {
      if (total <= 0 || total >= search_.known_and_imputed()) return kInfinity;
      for (const WideInt moved : {-below, above}) {
        const WideInt sum = from_[1] + centre * (total - low_total) + moved;
        if (params_.criterion == Criterion::Poisson && !is_between_targets(sum)) return kInfinity;
        best = std::max(best, of_corner(total, sum));
      }
    }
    return best;
  }
  // Where targets are not negative, neither are sums of some of them.
  double of_sums(Count low_total, Count high_total) {
    double best = -kInfinity;
    for (const Count total : {low_total, high_total}) {
      if (total <= 0 || total >= search_.known_and_imputed()) return kInfinity;
      for (const Count sum : {from_[1], to_[1]}) best = std::max(best, of_corner(total, sum));
    }
    return best;
  }
  bool is_between_targets(WideInt sum) const {
    return sum >= 0 && sum <= search_.sums_known_and_imputed()[1];
  }
  double of_corner(Count total, WideInt sum) {
    const Count corner[] = {total, sum};
    return search_.worth(corner, total).value;
  }

  const MeasureOf<Count>& measure_;
  const Params& params_;
  CutSearch<Count>& search_;
  std::vector<Count> from_, to_, corner_;
};

}  // namespace plaintree
