// Where missing rows go, from the counts of a split alone.
#pragma once

#include <cstdint>
#include <vector>

#include "search/count/value_counts.h"

namespace plaintree {

// The branch of the most common value: of the node, then of every class. Of a number the middle
// (lower median) stands for it.
template <class Count>
void find_middles(const Count* low, const Count* high, int width,
                  std::vector<std::uint32_t>& common) {
  common.assign(1 + static_cast<std::size_t>(width), 0);
  common[0] = SumsOf<Count>::weight(low, width) < SumsOf<Count>::weight(high, width);
  if constexpr (SumsOf<Count>::kClasses)
    for (int c = 0; c < width; ++c)
      common[1 + c] = low[c] + high[c] > 0 ? low[c] < high[c] : common[0];
}

template <class Count, class BranchOf>
void find_modes(const ValueCounts<Count>& values, BranchOf branch_of,
                std::vector<std::uint32_t>& common) {
  common.assign(1, branch_of(values.codes[values.most_common()]));
  if constexpr (!SumsOf<Count>::kClasses) return;
  for (int c = 0; c < values.n_classes; ++c) {
    const std::int32_t own = values.most_common(c);
    common.push_back(own < 0 ? common[0] : branch_of(values.codes[own]));
  }
}

// The first branch of the largest weight.
template <class Count>
std::int32_t heaviest_branch(const Count* sums, std::uint32_t n_branches, int width) {
  std::int32_t best = 0;
  Count most = -1;
  for (std::uint32_t b = 0; b < n_branches; ++b) {
    const Count weight = SumsOf<Count>::weight(sums + static_cast<std::size_t>(b) * width, width);
    if (weight > most) {
      most = weight;
      best = static_cast<std::int32_t>(b);
    }
  }
  return best;
}

// The fractions of a missing row that go to the branches: those of the known weight.
template <class Count>
std::vector<double> shares_of_branches(const MeasureOf<Count>& measure, const Count* sums,
                                       std::uint32_t n_branches, int width) {
  std::vector<Count> totals;
  Count known = 0;
  for (std::uint32_t b = 0; b < n_branches; ++b) {
    totals.push_back(SumsOf<Count>::weight(sums + static_cast<std::size_t>(b) * width, width));
    known += totals[b];
  }
  std::vector<double> shares(n_branches, 0.0);
  for (std::uint32_t b = 0; b < n_branches; ++b)
    if (totals[b] != 0) shares[b] = measure.weight(totals[b]) / measure.weight(known);
  return shares;
}

}  // namespace plaintree
