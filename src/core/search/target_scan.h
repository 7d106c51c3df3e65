// Squared error: the best cut of a sorted list, found by a scan without divisions.
//
// With sums taken from the mean, a cut with low weight wl and low sum e removes
//     e^2 * w / (wl * wh)
// of the squared error of w known rows. The scan keeps the exact low sum and, if rows have no
// weights, one of 64 bits that is rounded and becomes a double in one instruction. The cut that
// removes most is scored exactly by CutSearch; where others come near it, all cuts are.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "search/cuts.h"
#include "search/node_view.h"

namespace plaintree {

class TargetScan {
 public:
  using View = NodeView<TargetSums>;

  // Whether cuts are judged by nothing but what they remove.
  static bool fits(const Params& params, const KnownAndMissing<WideInt>& counts) {
    const bool imputes = params.missing == Missing::MostCommon && counts.missing_total > 0;
    return params.criterion == Criterion::SquaredError && !imputes && params.min_separation <= 0 &&
           !params.threshold_penalty;
  }

  TargetScan(const View& view, const Item* items, std::uint32_t n_known,
             const KnownAndMissing<WideInt>& counts)
      : view_(view),
        items_(items),
        n_known_(n_known),
        known_(static_cast<double>(counts.known_total)),
        known_rows_(counts.known_rows),
        centre_(static_cast<std::int64_t>(counts.known[1] / counts.known_total)),
        least_side_(least_side(*view.measure.params, view.measure.weight(counts.known_total), 1)),
        mean_(static_cast<double>(counts.known[1] - centre_ * counts.known_total) / known_) {}

  enum class Found { Nothing, One, Several };

  // Whether a cut reaches the bound of the node, and whether others are as good but for rounding.
  Found run() {
    if (view_.weight_of) return scan<Rows::Weighted>();
    const int bits = std::bit_width(static_cast<std::uint64_t>(view_.measure.range)) +
                     std::bit_width(static_cast<std::uint64_t>(known_));
    shift_ = std::max(0, bits - 62);
    error_ = shift_ > 0 ? known_ : 0.0;  // a row is rounded by half a unit at most
    return view_.table.repeat_bits > 0 ? scan<Rows::Repeated>() : scan<Rows::Single>();
  }
  // Has the only cut found scored.
  void score(CutSearch<WideInt>& search) const {
    const WideInt sums[2] = {best_.low, best_.sum + static_cast<WideInt>(centre_) * best_.low};
    search.cut(sums, best_.low, best_.rows, best_.position, -1, -1);
  }

 private:
  std::int64_t target(Entry entry) const { return view_.statistics.target_of(entry) - centre_; }

  enum class Rows { Single, Repeated, Weighted };

  template <Rows kRows>
  Found scan() {
    constexpr bool kWeighted = kRows == Rows::Weighted;
    const EntryBits bits = view_.table;
    const auto weight_of = [&](Entry entry) -> std::int64_t {
      return kWeighted ? view_.weight(entry) : kRows == Rows::Repeated ? bits.times(entry) : 1;
    };
    const double unit = std::ldexp(view_.measure.target_unit, shift_);
    const double squares = view_.impurity / (unit * unit) * known_;
    near_ = 4 * kNear * squares;
    if (view_.bound > 0 && view_.n_rows == n_known_) least_ = view_.bound * squares - near_;
    WideInt exact = 0;
    std::int64_t rounded = 0, low = 0;
    std::uint32_t rows = 0;
    const std::int64_t half = shift_ > 0 ? std::int64_t(1) << (shift_ - 1) : 0;
    const auto all = static_cast<std::int64_t>(known_);
    const double mean = std::ldexp(mean_, -shift_);
    for (std::uint32_t i = 0; i + 1 < n_known_; ++i) {
      const std::int64_t weight = weight_of(items_[i].entry), own = target(items_[i].entry);
      exact += static_cast<WideInt>(own) * weight;
      if constexpr (!kWeighted) rounded += ((own + half) >> shift_) * weight;
      low += weight;
      if constexpr (kWeighted) rows += view_.rows_in(items_[i].entry);
      const double w = static_cast<double>(low);
      const double sum_of_low =
          kWeighted ? static_cast<double>(exact) : static_cast<double>(rounded);
      const double from_mean = std::fabs(sum_of_low - mean * w);
      const double sides = w * static_cast<double>(all - low);
      const double sum = from_mean + error_;
      if (sum * sum * known_ < least_ * sides) [[likely]]
        continue;
      if (items_[i].rank == items_[i + 1].rank || !admissible(w, rows)) continue;
      consider(from_mean, sides, {i + 1, rows, exact, low});
    }
    if (best_.position == 0) return Found::Nothing;
    return n_near_ > 0 ? Found::Several : Found::One;
  }
  // As CutSearch has it.
  bool admissible(double low, std::uint32_t rows) const {
    const double unit = view_.measure.unit;
    const std::uint32_t least_rows = view_.measure.params->min_branch_rows;
    return low * unit >= least_side_ && (known_ - low) * unit >= least_side_ &&
           rows >= least_rows && known_rows_ - rows >= least_rows;
  }

  struct Best {
    std::uint32_t position = 0, rows = 0;
    WideInt sum = 0;
    std::int64_t low = 0;
  };

  // `least_` is what a cut must remove to be of interest: as much as the best, but for rounding.
  void consider(double from_mean, double sides, const Best& cut) {
    const double surely = std::max(0.0, from_mean - error_), perhaps = from_mean + error_;
    const double removed = surely * surely * known_ / sides;
    const double removed_at_most = perhaps * perhaps * known_ / sides;
    const bool better = best_.position == 0 || removed > most_removed_ + near_;
    n_near_ = better ? 0 : n_near_ + 1;
    if (!better && removed_at_most <= most_removed_) return;
    most_removed_ = std::max(most_removed_, removed_at_most);
    least_ = std::max(least_, removed - near_);
    best_ = cut;
  }

  const View& view_;
  const Item* items_;
  const std::uint32_t n_known_;
  const double known_;  // weight, in units
  const std::uint32_t known_rows_;
  const std::int64_t centre_;
  const double least_side_;
  const double mean_;  // of the known rows, from the centre
  int shift_ = 0;
  double error_ = 0, near_ = 0;
  double least_ = -1, most_removed_ = 0;
  int n_near_ = 0;
  Best best_;
};

}  // namespace plaintree
