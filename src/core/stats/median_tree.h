// Absolute deviations of a changing set of rows from its weighted median.
//
// A Fenwick tree over the ranks of a node's targets: a row is added or taken away, and the sum of
// deviations is found, in the logarithm of their number. Sums are integers in units, so they are
// exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/sums.h"

namespace plaintree {

struct TargetWeight {
  std::int64_t target, weight;
};

// The lower median and the upper one, added up: they differ where half the weight ends between two
// targets. Sorts the rows, of which there is one at least.
inline WideInt twice_the_median(std::vector<TargetWeight>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const TargetWeight& a, const TargetWeight& b) { return a.target < b.target; });
  WideInt total = 0, below = 0;
  for (const TargetWeight& row : rows) total += row.weight;
  std::size_t lower = 0;
  for (;; ++lower) {
    below += rows[lower].weight;
    if (2 * below >= total) break;
  }
  const std::size_t upper = 2 * below == total && lower + 1 < rows.size() ? lower + 1 : lower;
  return static_cast<WideInt>(rows[lower].target) + rows[upper].target;
}

class MedianTree {
 public:
  // `targets`: all that may be added, ascending.
  explicit MedianTree(std::span<const std::int64_t> targets)
      : targets_(targets), nodes_(targets.size() + 1) {}

  void clear() {
    std::fill(nodes_.begin(), nodes_.end(), Node{});
    all_ = {};
  }
  // A row of the target of this rank more, or less if the weight is negative.
  void add(std::uint32_t rank, std::int64_t weight) {
    const WideInt sum = static_cast<WideInt>(targets_[rank]) * weight;
    all_.weight += weight;
    all_.sum += sum;
    for (std::size_t i = rank + 1; i < nodes_.size(); i += i & (~i + 1)) {
      nodes_[i].weight += weight;
      nodes_[i].sum += sum;
    }
  }
  // The lower median and the upper one, added up, as of twice_the_median(rows).
  WideInt twice_the_median() const {
    const auto target_at = [&](bool is_upper) -> WideInt {
      std::size_t at = 0;  // ranks up to it have less than half the weight, or half of it
      WideInt below = 0;
      for (std::size_t step = std::bit_floor(targets_.size()); step > 0; step /= 2) {
        const std::size_t next = at + step;
        if (next >= nodes_.size()) continue;
        const WideInt twice = 2 * (below + nodes_[next].weight);
        if (twice > all_.weight || (!is_upper && twice == all_.weight)) continue;
        at = next;
        below += nodes_[next].weight;
      }
      return targets_[at];
    };
    return target_at(false) + target_at(true);
  }
  // Weight times distance from the median, summed up; any median between two has the same.
  WideInt deviation() const {
    if (all_.weight <= 0) return 0;
    std::size_t at = 0;  // ranks below it have less than half the weight
    Node below;
    for (std::size_t step = std::bit_floor(targets_.size()); step > 0; step /= 2) {
      const std::size_t next = at + step;
      if (next >= nodes_.size() || 2 * (below.weight + nodes_[next].weight) >= all_.weight)
        continue;
      at = next;
      below.weight += nodes_[next].weight;
      below.sum += nodes_[next].sum;
    }
    const WideInt median = targets_[at];
    return median * below.weight - below.sum + (all_.sum - below.sum) -
           median * (all_.weight - below.weight);
  }

 private:
  struct Node {
    WideInt weight = 0, sum = 0;
  };
  std::span<const std::int64_t> targets_;
  std::vector<Node> nodes_;  // from 1 on
  Node all_;
};

}  // namespace plaintree
