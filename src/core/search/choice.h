// The choice between the best splits of the columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/candidate.h"
#include "table/training_table.h"

namespace plaintree {

struct Choice {
  int position = -1;  // among the columns looked at; -1: none will do
  int n_tied = 0;  // other columns whose score equals the best, but for rounding or the tolerance
};

// Scores that are equal on paper may differ by rounding: nearer than this (of scores above 1, this
// share of them) they are counted as tied. Which column is chosen is left to the tolerance alone.
inline constexpr double kRoundingOfScores = 1e-12;

// C4.5: the mean gain of the possible tests, attributes of very many values left out.
inline double average_gain(const std::vector<Candidate>& candidates,
                           const std::vector<int>& columns, const TrainingTable& table) {
  double sum = 0;
  int n = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!c.valid || c.score.gain <= -kEpsilon || table.columns[columns[i]].many_valued) continue;
    sum += c.score.gain;
    ++n;
  }
  return n > 0 ? sum / n : 1e6;
}

// Why the best split of a column does not qualify.
enum class Refusal : std::uint8_t {
  None,
  NotFound,  // the column has no split with large enough branches
  Penalty,   // no gain is left after C4.5's penalty for thresholds
  NoValue,   // the criterion has no value
  Score,     // below the minimum
  Decrease,  // of the impurity, below the minimum
  NoGain,
  AverageGain,  // the gain is below the average
  SplitInfo,    // almost zero
};

// What a split needs to qualify at a node.
struct Demands {
  double least_gain, least_split_info, floor, min_score, least_decrease, fraction, scale;
  bool ratio;

  Refusal refusal(const Candidate& c) const {
    if (!c.valid)  // what CutSearch::finish leaves of a threshold
      return c.kind == NodeKind::Threshold ? Refusal::Penalty : Refusal::NotFound;
    if (!(c.score.value > -kInfinity)) return Refusal::NoValue;
    if (!(c.score.value * scale >= min_score)) return Refusal::Score;
    if (!(c.score.gain * scale * fraction >= least_decrease)) return Refusal::Decrease;
    if (!(c.score.gain > floor)) return Refusal::NoGain;
    if (!(c.score.gain >= least_gain)) return Refusal::AverageGain;
    return ratio && !(c.score.split_info > least_split_info) ? Refusal::SplitInfo : Refusal::None;
  }
};

// The first column whose score is within the tolerance of the best. Splits that do not qualify
// become invalid.
// Scores are divided by the costs of their columns, gains are not.
// `candidates` are the splits of `columns`, and may be followed by others that are ignored;
// `fraction` is the node's fraction of all training weight, `scale` what a score of one stands for.
// `refusals`: where the reason why each does not qualify is added, if anyone asks.
inline Choice choose(std::vector<Candidate>& candidates, const std::vector<int>& columns,
                     const TrainingTable& table, const Params& params, double fraction,
                     double scale = 1, std::vector<Refusal>* refusals = nullptr) {
  const bool ratio = params.criterion == Criterion::GainRatio;
  const bool average = ratio && params.average_gain;
  const double least_gain =
      average ? average_gain(candidates, columns, table) - kEpsilon : -kInfinity;
  const double least_split_info = average ? kEpsilon : 0.0;
  const double floor = params.zero_gain ? -kEpsilon : kNoGain;
  const Demands demands{least_gain,
                        least_split_info,
                        floor,
                        params.min_score,
                        params.min_impurity_decrease - kRoundingOfScores * scale,
                        fraction,
                        scale,
                        ratio};
  Choice choice;
  double best = -kInfinity;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Candidate& c = candidates[i];
    if (!params.feature_costs.empty())
      c.score.value /= params.feature_costs[static_cast<std::size_t>(columns[i])];
    const Refusal refusal = demands.refusal(c);
    if (refusals) refusals->push_back(refusal);
    c.valid = refusal == Refusal::None;
    if (!c.valid) continue;
    best = std::max(best, c.score.value);
  }
  const double rounding = std::isfinite(best) ? kRoundingOfScores * std::max(1.0, best) : 0.0;
  const double as_good = best - std::max(params.tie_tolerance, rounding);
  for (std::size_t i = columns.size(); i-- > 0;) {
    const Candidate& c = candidates[i];
    if (!c.valid || c.score.value < as_good) continue;
    ++choice.n_tied;
    if (c.score.value >= best - params.tie_tolerance) choice.position = static_cast<int>(i);
  }
  choice.n_tied -= choice.position >= 0;
  return choice;
}

}  // namespace plaintree
