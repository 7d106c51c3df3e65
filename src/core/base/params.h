// The parameters of a fit.
//
// The enumerators follow the order of the choices in tree/conventions.py; bind/ is the only place
// that translates.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace plaintree {

enum class Criterion : int {
  InformationGain,
  GainRatio,
  GainRatioConditional,
  Gini,
  Error,
  SquaredError,
  AbsoluteError,
  Poisson
};
enum class Categorical : int { Multiway, OneVsRest, Subset, Grouped };
enum class Missing : int { Fractional, MostCommon, MostCommonInClass, Branch, Error, Surrogate };
// What is done with surrogates: nothing; rows that none of them decides stay; or they follow the
// heavier side.
enum class UseSurrogates : int { No, OrStay, OrFollow };

// C4.5's one epsilon of tree building: gains above -kEpsilon count as "not negative".
inline constexpr double kEpsilon = 1e-3;
// Where splits that gain nothing are refused, a gain must exceed rounding noise.
inline constexpr double kNoGain = 1e-9;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Params {
  Criterion criterion = Criterion::Gini;
  Categorical categorical = Categorical::Subset;
  Missing missing = Missing::MostCommon;
  int max_surrogates = 0;
  UseSurrogates use_surrogates = UseSurrogates::OrFollow;
  bool agreement_of_known = false;  // of the rows that the surrogate knows; false: of all
  int max_depth = -1;               // -1: no limit
  // A node is split, and a split has its branches, from these weights and numbers of rows on. Where
  // rows count 1 or are divided, weights are numbers of rows and the minimum of rows is 0.
  double min_split_weight = 0, min_branch_weight = 0;
  std::uint32_t min_split_rows = 0, min_branch_rows = 0;
  bool every_branch = true;  // false: two branches with the minimum are enough (C4.5)
  double min_score = -kInfinity;
  double min_impurity_decrease = -kInfinity;  // gain x the node's fraction of all weight
  double significance = 1.0;
  bool adjusted_significance = true;  // for the choice between splits; false: chi-square alone
  bool zero_gain = true;
  bool data_value_thresholds = false;
  bool threshold_by_gain = false;
  bool threshold_penalty = false;
  bool average_gain = false;
  double numeric_branch_fraction = 0;
  double min_separation = 0;
  double tie_tolerance = 0;
  std::vector<double> feature_costs;  // scores are divided by them; empty: none has one
  bool collapse = false;
  int max_bins = 0;  // 0: exact
  int exhaustive_categories = 10;
  int columns_per_node = 0;    // drawn at random for every node; 0: all
  std::uint64_t seed = 0;      // of these draws, in a single tree
  bool random_splits = false;  // a random split of each column; the best of these is chosen
  // By column: 1 if predictions rise with it, -1 if they fall. Empty: no column is monotonic.
  std::vector<std::int8_t> monotonic;
  std::vector<std::int32_t> forbidden;  // columns
  std::vector<std::int32_t> first;      // the columns of the root, of the next level, ...
  std::vector<std::vector<std::int32_t>> interactions;  // groups of columns; empty: any interact
  int finders = ~0;  // see search/finders.h; no part of the conventions: trees are the same

  // Whether the rows of branches are counted apart from their weights.
  bool counts_rows() const { return min_branch_rows > 0; }
};

// Calls with(param) for every parameter; one that is new does not compile until it is named here.
template <class With>
void each_param(const Params& params, With with) {
  const auto& [criterion, categorical, missing, max_surrogates, use_surrogates, of_known, max_depth,
               split_weight, branch_weight, split_rows, branch_rows, every_branch, min_score,
               impurity_decrease, significance, adjusted, zero_gain, data_values, by_gain, penalty,
               average_gain, numeric_fraction, separation, tolerance, costs, collapse, max_bins,
               exhaustive, sampled, seed, random_splits, monotonic, forbidden, first, interactions,
               finders] = params;
  with(criterion), with(categorical), with(missing), with(max_surrogates), with(use_surrogates);
  with(of_known), with(max_depth), with(split_weight), with(branch_weight), with(split_rows);
  with(branch_rows), with(every_branch), with(min_score), with(impurity_decrease);
  with(significance), with(adjusted), with(zero_gain), with(data_values), with(by_gain);
  with(penalty), with(average_gain), with(numeric_fraction), with(separation), with(tolerance);
  with(costs), with(collapse), with(max_bins), with(exhaustive), with(sampled), with(seed);
  with(random_splits), with(monotonic), with(forbidden), with(first), with(interactions);
  with(finders);
}

}  // namespace plaintree
