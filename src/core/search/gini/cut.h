// A cut by the Gini index, where rows count as often as they are there, and its candidate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/better.h"
#include "search/candidate.h"
#include "search/node_view.h"

namespace plaintree {

using RowView = NodeView<RowCounts>;

struct GiniCut {
  std::uint32_t position = 0;                // elements on the low side; 0: there is no cut
  double low = 0, high = 0;                  // what both sides count
  double low_squares = 0, high_squares = 0;  // of their class counts, summed up
  double low_ones = 0;                       // of two classes: the second one's on the low side

  // As Measure::information of both sides, to the last bit: sums of integers are exact.
  double information() const { return low - low_squares / low + (high - high_squares / high); }
  double purity() const { return low_squares / low + high_squares / high; }
  template <class Number>
  Squares<Number> squares() const {
    const auto number = [](double x) { return Number(static_cast<std::uint64_t>(x)); };
    return {number(low), number(high), number(low_squares), number(high_squares)};
  }
};

// As is_better of better.h, without a division. There may be no other cut yet.
inline bool is_better(const GiniCut& cut, const GiniCut& other) {
  if (other.position == 0) return true;
  const Squares<double> a{cut.low, cut.high, cut.low_squares, cut.high_squares};
  const Squares<double> b{other.low, other.high, other.low_squares, other.high_squares};
  const double one = a.above() * b.below(), two = b.above() * a.below();
  constexpr double kExactRows = 2048;  // n^5 / 16 is a double up to there, so nothing is rounded
  if (cut.low + cut.high <= kExactRows || std::fabs(one - two) > kNear * two) return one > two;
  return is_purer(cut.squares<Bits128>(), other.squares<Bits128>());
}

inline bool fits_gini_scan(const Measure& measure, const TrainingTable& table) {
  const Params& params = *measure.params;
  return params.criterion == Criterion::Gini && params.min_separation <= 0 &&
         params.numeric_branch_fraction <= 0 && !params.threshold_penalty && table.class_bits > 0 &&
         table.n_rows < kRowsIn128Bits;  // sums of squares are exact doubles, too
}

inline std::uint32_t least_rows(const Measure& measure) {
  const double least = std::min(measure.params->min_branch_weight, 4e9);
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(least)));
}

// May a node be cut at all, as far as its weight goes? (See CutSearch::possible.)
inline bool may_be_cut(const RowView& view, std::int32_t known_total) {
  const Params& params = *view.measure.params;
  return params.every_branch || view.measure.weight(known_total) >= 2 * params.min_branch_weight;
}
inline bool may_be_cut(const RowView& view) { return may_be_cut(view, view.total); }

// A cut's candidate, where nothing is missing or missing rows have the middle value; scored as
// CutSearch does.
inline void write_cut(const RowView& view, double information, Candidate& candidate) {
  candidate.valid = true;
  candidate.kind = NodeKind::Threshold;
  candidate.score.gain = view.impurity - information / view.measure.weight(view.total);
  candidate.score.value = candidate.score.gain;
  candidate.n_branches = 2;  // another split may have stood there
  candidate.upper_codes = nullptr;
  candidate.n_missing = 0;
}

// The cut with these class counts on the low side.
inline GiniCut cut_after(const RowView& view, const std::int32_t* low) {
  std::int64_t low_total = 0, low_squares = 0, high_squares = 0;
  for (int c = 0; c < view.table.n_classes; ++c) {
    const std::int64_t l = low[c], r = view.sums[c] - l;
    low_total += l;
    low_squares += l * l;
    high_squares += r * r;
  }
  return {1, static_cast<double>(low_total), static_cast<double>(view.total - low_total),
          static_cast<double>(low_squares), static_cast<double>(high_squares)};
}

// Whether a cut reaches the bound. Without a division: what a cut gains is its purity (see scan.h)
// over the node's weight, less that of the whole node.
inline bool reaches_bound(const RowView& view, const GiniCut& cut) {
  const double least_purity = (view.bound + 1 - view.impurity) * view.total;
  return cut.low_squares * cut.high + cut.high_squares * cut.low >=
         least_purity * (cut.low * cut.high);
}

}  // namespace plaintree
