// Numeric columns: the best cut of a sequence of values in ascending order.
//
//   group   the rows of one value (or one code)
//   cut     between two neighbouring groups; rows of the groups so far are on the low side
//
// CutSearch is fed group by group and judges cuts; scan_items feeds it from a sorted list and
// scan_codes from counts by code. Where the best cut is known to lie at a change of class (gain
// of a concave impurity, no imputed rows), cuts inside a stretch of one class are not scored,
// except the outermost admissible ones.
#pragma once

#include <cmath>
#include <cstdint>

#include "search/better.h"
#include "search/candidate.h"
#include "search/count/value_counts.h"
#include "stats/bounds.h"
#include "table/training_table.h"

namespace plaintree {

// Whether a branch of this size is large enough.
template <class Count>
bool is_enough(const MeasureOf<Count>& measure, const GroupSize<Count>& size) {
  const Params& params = *measure.params;
  return measure.weight(size.weight) >= params.min_branch_weight &&
         size.rows >= params.min_branch_rows;
}

// The minimum weight of a side of a cut (C4.5 raises it with the number of rows).
inline double least_side(const Params& params, double known_weight, int n_classes) {
  const double least = params.min_branch_weight;
  if (params.numeric_branch_fraction <= 0) return least;
  const double share = params.numeric_branch_fraction * known_weight / n_classes;
  return share <= least ? least : std::min(share, 25.0);
}

// Whether known values can be split from missing ones: both are there, and missing is a branch.
template <class Count>
bool separates_missing(const Params& params, Count known_total, Count missing_total) {
  return params.missing == Missing::Branch && known_total > 0 && missing_total > 0;
}

// Class counts of a column's known and missing rows at a node.
template <class Count>
struct KnownAndMissing {
  const Count* known;
  Count known_total;
  const Count* missing;
  Count missing_total;
  // Where rows are counted apart from weights.
  std::uint32_t known_rows = 0;
  const std::uint32_t* missing_rows = nullptr;  // classes
};

template <class Count>
struct CutScratch {
  std::vector<Count> low, high, best_low, best_high, adjusted, known_and_missing;
  std::vector<double> scan;                 // of gini/scan.h
  std::vector<std::uint32_t> missing_rows;  // by class, where they are counted
};

template <class Count>
class CutSearch {
 public:
  CutSearch(const MeasureOf<Count>& measure, const KnownAndMissing<Count>& counts,
            CutScratch<Count>& scratch, const Monotonic& monotonic = {})
      : measure_(measure),
        params_(*measure.params),
        monotonic_(monotonic),
        n_classes_(measure.n_classes),
        known_(counts.known),
        known_total_(counts.known_total),
        missing_(counts.missing),
        missing_rows_(counts.missing_rows),
        rows_(counts.known_rows),
        imputes_(counts.missing_total > 0 && (params_.missing == Missing::MostCommon ||
                                              params_.missing == Missing::MostCommonInClass)),
        scratch_(with_totals(scratch)),
        scorer_(measure, imputes_ ? scratch_.known_and_missing.data() : known_,
                imputes_ ? known_total_ + counts.missing_total : known_total_, missing_,
                imputes_ ? Count(0) : counts.missing_total),
        least_(least_side(params_, measure.weight(known_total_), measure.n_classes_of_table)),
        skips_(measure.convex() && !imputes_ && monotonic.sign == 0),
        bounded_(params_.criterion == Criterion::Gini && n_classes_ == 2 && measure.convex() &&
                 !imputes_ && !params_.threshold_penalty && scorer_.share() > 0 &&
                 !separates_missing(params_, known_total_, counts.missing_total)) {
    if (imputes_ && missing_rows_)
      for (int c = 0; c < n_classes_; ++c) rows_ += missing_rows_[c];
    if (!bounded_) return;
    zeros_ = static_cast<double>(known_[0]);
    ones_ = static_cast<double>(known_[1]);
  }

  // C4.5 does not look at a column with less known weight than two branches need.
  bool possible() const {
    const double known = measure_.weight(known_total_);
    return (params_.every_branch || known >= 2 * params_.min_branch_weight) && allows_missing();
  }
  bool skips_uniform_stretches() const { return skips_; }

  // Whether falls_short() can be used: for a gain by Gini, two classes, and where the number of
  // cuts is not needed.
  bool is_bounded() const { return bounded_; }
  // Whether a cut is worse than the best so far by more than rounding explains; without a division,
  // as in gini/scan.h.
  bool falls_short(const Count* low) const {
    const double low_zeros = static_cast<double>(low[0]), low_ones = static_cast<double>(low[1]);
    const double d = zeros_ * low_ones - ones_ * low_zeros, nl = low_zeros + low_ones;
    return d * d < least_removed_ * (nl * (zeros_ + ones_ - nl));
  }

  // Is a cut with this weight and so many rows on the low side allowed? (Without imputed rows.)
  bool admissible(Count low_total, std::uint32_t low_rows) const {
    const double low = measure_.weight(low_total);
    const double high = measure_.weight(scorer_.known_total() - low_total);
    return low_total > 0 && low_total < scorer_.known_total() && low >= least_ && high >= least_ &&
           has_rows(low_rows);
  }
  void count_cut() { ++n_cuts_; }
  bool imputes() const { return imputes_; }
  double least_weight() const { return least_; }
  // Of all rows that take part.
  Count known_and_imputed() const { return scorer_.known_total(); }
  const Count* sums_known_and_imputed() const { return scorer_.known(); }

  // What a cut with these rows on the low side leaves open, and the value that cuts are compared
  // by.
  struct Worth {
    double information, gain, value;
  };
  Worth worth(const Count* low, Count low_total) {
    const Count total = scorer_.known_total();
    const Count* all = scorer_.known();
    for (int c = 0; c < n_classes_; ++c) scratch_.high[c] = all[c] - low[c];
    return worth(measure_.information(low, low_total) +
                     measure_.information(scratch_.high.data(), total - low_total),
                 low_total);
  }
  Worth worth(double information, Count low_total) const {
    const double gain = scorer_.gain(information);
    if (params_.threshold_by_gain) return {information, gain, gain};
    const double split_info =
        scorer_.needs_split_info() ? split_info_of(low_total, scorer_.known_total()) : 0.0;
    return {information, gain, scorer_.value(gain, split_info, scorer_.remaining(information))};
  }

  // The gain and the score of a cut, whichever of the two cuts are compared by.
  Score score_of(const Count* low, Count low_total) {
    Score score;
    const Worth found = worth(low, low_total);
    score.gain = found.gain;
    if (scorer_.needs_split_info())
      score.split_info = split_info_of(low_total, scorer_.known_total());
    score.value = scorer_.value(score.gain, score.split_info, scorer_.remaining(found.information));
    return score;
  }
  // Whether the branches may be such groups, and whether a monotonic column may have them.
  bool may_predict(const Count* low) {
    const Count* all = scorer_.known();
    Count* high = scratch_.high.data();
    for (int c = 0; c < n_classes_; ++c) high[c] = all[c] - low[c];
    return measure_.allows(low) && measure_.allows(high) && allows_missing();
  }
  bool is_monotonic(const Count* low, Count low_total) {
    return !may_predict(low) || allows(low, low_total);
  }

  // The known rows below a cut, and the imputed ones whose value belongs there, into
  // scratch.adjusted.
  Count adjusted(const Count* low, Count low_total, std::uint32_t& low_rows) {
    const bool middle_below = 2 * low_total >= known_total_;
    for (int c = 0; c < n_classes_; ++c) {
      const bool own = params_.missing == Missing::MostCommonInClass && known_[c] > 0;
      const bool below = own ? 2 * low[c] >= known_[c] : middle_below;
      scratch_.adjusted[c] = low[c] + (below ? missing_[c] : 0);
      if (below && missing_rows_) low_rows += missing_rows_[c];
    }
    return SumsOf<Count>::weight(scratch_.adjusted.data(), n_classes_);
  }

  const Count* adjusted_sums() const { return scratch_.adjusted.data(); }

  // Scores the cut with these class counts of known rows on the low side.
  void score_cut(const Count* low, Count low_total, std::uint32_t position, std::int32_t code,
                 std::int32_t next_code) {
    const auto [information, gain, value] = worth(low, low_total);
    const Count total = scorer_.known_total();
    const Sides<Count> sides{low, scratch_.high.data(), low_total, total - low_total, n_classes_};
    if (!best_.valid ? value > -kInfinity
                     : is_better(params_, params_.threshold_by_gain, sides, value, best_sides(),
                                 best_value_)) {
      best_value_ = value;
      best_information_ = information;
      best_low_total_ = low_total;
      scratch_.best_low.assign(low, low + n_classes_);
      scratch_.best_high = scratch_.high;
      best_.position = position;
      best_.code = code;
      best_.next_code = next_code;
      best_.valid = true;
      raise_bound();
    }
  }

  // A cut below which these known rows lie; imputed rows join them where their value belongs.
  void cut(const Count* low, Count low_total, std::uint32_t low_rows, std::uint32_t position,
           std::int32_t code, std::int32_t next_code) {
    if (!imputes_) {
      if (!admissible(low_total, low_rows) || !allows(low, low_total)) return;
      count_cut();
      score_cut(low, low_total, position, code, next_code);
      return;
    }
    if (low_total <= 0 || low_total >= known_total_) return;
    const Count total = adjusted(low, low_total, low_rows);
    if (!admissible(total, low_rows) || !allows(scratch_.adjusted.data(), total)) return;
    count_cut();
    score_cut(scratch_.adjusted.data(), total, position, code, next_code);
  }

  // All known rows on the low side and the missing ones in their own branch: the only split of a
  // column whose known values are all equal.
  void against_missing(std::uint32_t position, std::int32_t code) {
    if (!separates_known()) return;
    count_cut();
    score_cut(known_, known_total_, position, code, code);
  }

  bool separates_known() const {
    return monotonic_.sign == 0 &&  // the branch of greater values would have no rows
           separates_missing(params_, known_total_, scorer_.missing_total()) &&
           measure_.weight(known_total_) >= least_ && rows_ >= params_.min_branch_rows &&
           measure_.allows(known_) && allows_missing();
  }

  Candidate finish() {
    if (!best_.valid) return best_;
    Score& score = best_.score;
    score.gain = scorer_.gain(best_information_);
    if (params_.threshold_penalty) {
      best_.penalty = binary_log(static_cast<double>(n_cuts_)) / scorer_.node_weight();
      score.gain -= best_.penalty;
      if (score.gain <= 0) best_.valid = false;
    }
    if (scorer_.needs_split_info())
      score.split_info = split_info_of(best_low_total_, scorer_.known_total());
    score.value = scorer_.value(score.gain, score.split_info, scorer_.remaining(best_information_));
    best_.kind = NodeKind::Threshold;
    if constexpr (!SumsOf<Count>::kClasses) {
      best_.low_weight = best_low_total_;
      best_.low_sum = scratch_.best_low[1];
    }
    return best_;
  }

 private:
  // Whether both sides of a cut may be branches, and missing rows where they are one.
  bool allows(const Count* low, Count low_total) {
    const Count* all = scorer_.known();
    Count* high = scratch_.high.data();
    for (int c = 0; c < n_classes_; ++c) high[c] = all[c] - low[c];
    return measure_.allows(low) && measure_.allows(high) &&
           (monotonic_.sign == 0 ||
            monotonic_.allows(value_of(low, low_total),
                              value_of<Count>(high, scorer_.known_total() - low_total)));
  }
  bool allows_missing() const {
    return !separates_missing(params_, known_total_, scorer_.missing_total()) ||
           measure_.allows(missing_);
  }
  bool has_rows(std::uint32_t low) const {
    return !params_.counts_rows() ||
           (low >= params_.min_branch_rows && rows_ - low >= params_.min_branch_rows);
  }
  void raise_bound() {
    const double all = zeros_ + ones_, near = 2 * kNear * std::max(1.0, best_value_);
    if (bounded_) least_removed_ = (best_value_ - near) * (all * all) / (2 * scorer_.share());
  }
  CutScratch<Count>& with_totals(CutScratch<Count>& scratch) {
    scratch.low.assign(n_classes_, 0);
    scratch.high.assign(n_classes_, 0);
    scratch.adjusted.assign(n_classes_, 0);
    if (imputes_) {
      scratch.known_and_missing.assign(known_, known_ + n_classes_);
      for (int c = 0; c < n_classes_; ++c) scratch.known_and_missing[c] += missing_[c];
    }
    return scratch;
  }
  Sides<Count> best_sides() const {
    return {scratch_.best_low.data(), scratch_.best_high.data(), best_low_total_,
            scorer_.known_total() - best_low_total_, n_classes_};
  }
  double split_info_of(Count low_total, Count total) const {
    return scorer_.split_info(measure_.x_log_x_of(low_total) +
                              measure_.x_log_x_of(total - low_total));
  }

  const MeasureOf<Count>& measure_;
  const Params& params_;
  const Monotonic monotonic_;
  int n_classes_;
  const Count* known_;
  Count known_total_;
  const Count* missing_;
  const std::uint32_t* missing_rows_;
  std::uint32_t rows_;  // known ones, and those that are imputed
  bool imputes_;
  CutScratch<Count>& scratch_;
  Scorer<Count> scorer_;
  double least_;
  bool skips_, bounded_;
  double zeros_ = 0, ones_ = 0, least_removed_ = -kInfinity;
  std::int64_t n_cuts_ = 0;
  double best_value_ = -kInfinity, best_information_ = 0;
  Count best_low_total_ = 0;
  Candidate best_;
};

// Feeds a search from counts by value, ascending. `separates(i)`: whether a cut may lie between the
// value at position i and the next one. The last position is not asked for; with one value alone,
// position 0 says whether it is the only one.
template <class Count, class Separates>
Candidate scan_values(const MeasureOf<Count>& measure, const ValueCounts<Count>& values,
                      CutScratch<Count>& scratch, const Monotonic& monotonic, Separates separates) {
  const KnownAndMissing<Count> counts{values.known.data(),   values.known_total,
                                      values.missing.data(), values.missing_total,
                                      values.known_rows,     values.missing_rows.data()};
  CutSearch<Count> search(measure, counts, scratch, monotonic);
  if (values.size() == 1) {
    if (separates(std::size_t(0))) search.against_missing(0, values.codes[0]);
    return search.finish();
  }
  if (values.size() < 2 || !search.possible()) return {};
  Count low_total = 0;
  std::uint32_t low_rows = 0;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const Count* row = values.row(i);
    for (int c = 0; c < measure.n_classes; ++c) scratch.low[c] += row[c];
    low_total += values.totals[i];
    low_rows += values.rows[i];
    if (!separates(i)) continue;
    search.cut(scratch.low.data(), low_total, low_rows, 0, values.codes[i], values.codes[i + 1]);
  }
  return search.finish();
}

// The same, from counts by code, which are weights: rows are not counted here.
template <class Count>
Candidate scan_codes(const MeasureOf<Count>& measure, const Column& column,
                     const ValueCounts<Count>& values, CutScratch<Count>& scratch,
                     const Monotonic& monotonic) {
  const double gap = measure.params->min_separation;
  return scan_values(measure, values, scratch, monotonic, [&](std::size_t i) {
    return gap <= 0 || values.size() == 1 ||
           column.greatest()[values.codes[i]] < column.least[values.codes[i + 1]] - gap;
  });
}

}  // namespace plaintree
