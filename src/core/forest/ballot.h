// The vote of one tree, and how its paths are walked.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "forest/forest.h"
#include "predict/quick_walk.h"
#include "predict/walker.h"

namespace plaintree {

using PackedWalker = Walker<PackedTree>;

// The quick walk does not pay for fewer.
inline constexpr std::size_t kFewRows = 1024;

inline PackedWalker walker_of(const PackedTree& tree, std::span<const ColumnView> columns,
                              const PredictOptions& options) {
  return {tree, tree.steps.data(), tree.thresholds_only(), columns, options.unseen_stops};
}

// Adds what a tree gives to one row whose path ended at `end` (see Walker::walk). Of a numeric
// target, trees give numbers, whatever the voting.
class Ballot {
 public:
  Ballot(const PackedTree& tree, const PackedWalker& walker, Voting voting)
      : tree_(tree), walker_(walker), voting_(voting), shares_(tree.n_outputs()) {}

  void add(std::size_t row, std::int32_t end, double* votes) {
    if (voting_ == Voting::Majority && !tree_.has_targets()) {
      votes[answer(row, end)] += 1.0;
    } else if (end >= 0) {
      tree_.add_shares(end, 1.0, votes);
    } else {
      walker_.walk_divided(row, pending_, [&](std::int32_t node, double share) {
        tree_.add_shares(node, share, votes);
      });
    }
  }
  double number(std::size_t row, std::int32_t end) {
    double sum = 0;
    add(row, end, &sum);
    return sum;
  }
  std::int32_t answer(std::size_t row, std::int32_t end) {
    return end >= 0 ? tree_.answer_of(end) : answer_of_divided(row);
  }

 private:
  std::int32_t answer_of_divided(std::size_t row) {
    std::fill(shares_.begin(), shares_.end(), 0.0);
    walker_.walk_divided(row, pending_, [&](std::int32_t node, double share) {
      tree_.add_shares(node, share, shares_.data());
    });
    return greatest_share(shares_);
  }

  const PackedTree& tree_;
  const PackedWalker& walker_;
  Voting voting_;
  std::vector<double> shares_;
  Pending pending_;
};

// Calls run(Float()) with the narrower of the two quick walks that serves these trees and columns.
template <class Run>
auto with_key_width(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                    Run run) {
  const bool doubles = std::any_of(columns.begin(), columns.end(), [](const ColumnView& column) {
    return column.type == ColumnView::Type::Float64;
  });
  const CategoryKeys<SortKey<float>> narrow{codes_in_sets_of(trees)};
  const CategoryKeys<SortKey<double>> wide{narrow.n_codes};
  const bool wide_masks = !narrow.fit_masks() && wide.fit_masks();
  if (doubles || wide_masks || columns.size() > QuickStep<float>::kMostColumns)
    return run(double());
  return run(float());
}

}  // namespace plaintree
