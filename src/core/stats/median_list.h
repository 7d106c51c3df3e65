// Absolute deviations of a shrinking set of rows from its weighted median.
//
// The rows are a linked list in the order of their targets, with a pointer to the median. A row is
// taken away in constant time: the pointer moves past rows of half its weight at most. So the
// deviations of all sides of a column's cuts are found in two walks along the column.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "stats/median_tree.h"
#include "stats/sums.h"

namespace plaintree {

class MedianList {
 public:
  // All of these rows, which are in the order of their targets.
  void start(std::span<const TargetWeight> rows) {
    rows_ = rows;
    const auto n = static_cast<std::uint32_t>(rows.size());
    next_.resize(n + 2);
    previous_.resize(n + 2);
    std::iota(next_.begin(), next_.end(), 1u);
    std::iota(previous_.begin(), previous_.end(), ~0u);
    all_ = below_ = {};
    for (const TargetWeight& row : rows) all_.add(row, 1);
    median_ = 1;
    if (n > 0) find_median();
  }
  // The row at this place in the order; if it is gone, the last one before it that is not. So of a
  // row that is there several times, side by side, each can be removed by the last one's place.
  void remove(std::uint32_t place) {
    std::uint32_t at = place + 1;  // before the first one and after the last one are ends
    while (next_[at] == at) --at;
    const TargetWeight& row = rows_[at - 1];
    next_[previous_[at]] = next_[at];
    previous_[next_[at]] = previous_[at];
    all_.add(row, -1);
    if (at < median_) below_.add(row, -1);
    if (at == median_) median_ = next_[at];
    next_[at] = at;
    if (all_.weight > 0) find_median();
  }
  // Weight times distance from the median, summed up.
  WideInt deviation() const {
    if (all_.weight == 0) return 0;
    const WideInt median = rows_[median_ - 1].target;
    return median * (2 * below_.weight - all_.weight) + all_.sum - 2 * below_.sum;
  }
  // The lower median and the upper one, added up, as of twice_the_median(rows).
  WideInt twice_the_median() const {
    if (all_.weight == 0) return 0;
    const bool is_between = 2 * (below_.weight + rows_[median_ - 1].weight) == all_.weight;
    const std::uint32_t upper = is_between ? next_[median_] : median_;
    return static_cast<WideInt>(rows_[median_ - 1].target) + rows_[upper - 1].target;
  }

 private:
  struct Sum {
    std::int64_t weight = 0;
    WideInt sum = 0;

    void add(const TargetWeight& row, int sign) {
      weight += sign * row.weight;
      sum += static_cast<WideInt>(row.target) * (sign * row.weight);
    }
  };

  // The first row with which half of the weight is reached.
  void find_median() {
    while (median_ > rows_.size() || 2 * below_.weight >= all_.weight) {
      median_ = previous_[median_];
      below_.add(rows_[median_ - 1], -1);
    }
    while (2 * (below_.weight + rows_[median_ - 1].weight) < all_.weight) {
      below_.add(rows_[median_ - 1], 1);
      median_ = next_[median_];
    }
  }

  std::span<const TargetWeight> rows_;
  std::vector<std::uint32_t> next_, previous_;  // by place, from 1 on
  Sum all_, below_;                             // of the rows before the median
  std::uint32_t median_ = 1;
};

}  // namespace plaintree
