// Deviations from the median, against sums over all rows.
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "stats/median_tree.h"

using namespace plaintree;

namespace {

// The least sum of distances from any target.
WideInt least_deviation(const std::vector<TargetWeight>& rows) {
  WideInt least = 0;
  bool first = true;
  for (const TargetWeight& from : rows) {
    WideInt sum = 0;
    for (const TargetWeight& row : rows) {
      const WideInt distance = static_cast<WideInt>(row.target) - from.target;
      sum += (distance < 0 ? -distance : distance) * row.weight;
    }
    if (first || sum < least) least = sum;
    first = false;
  }
  return least;
}

}  // namespace

TEST(a_median_tree_has_the_least_deviation_of_its_rows) {
  std::mt19937_64 random(11);
  for (const std::size_t n_targets : {1, 2, 3, 8, 21}) {
    std::vector<std::int64_t> targets{-(std::int64_t(1) << 59)};
    while (targets.size() < n_targets)
      targets.push_back(targets.back() + 1 + static_cast<std::int64_t>(random() % (1 << 20)));
    MedianTree tree(targets);
    CHECK(tree.deviation() == 0);
    std::vector<TargetWeight> rows;
    for (int i = 0; i < 60; ++i) {
      const auto rank = static_cast<std::uint32_t>(random() % n_targets);
      rows.push_back({targets[rank], 1 + static_cast<std::int64_t>(random() % 3)});
      tree.add(rank, rows.back().weight);
      if (i % 3 == 2) {  // taken away again
        tree.add(rank, -rows.back().weight);
        rows.pop_back();
      }
      CHECK(tree.deviation() == least_deviation(rows));
    }
    tree.clear();
    CHECK(tree.deviation() == 0);
  }
}

TEST(the_median_lies_between_two_rows_where_half_the_weight_does) {
  std::vector<TargetWeight> rows{{5, 1}, {1, 1}};
  CHECK(twice_the_median(rows) == 6);
  rows = {{5, 1}, {1, 2}};
  CHECK(twice_the_median(rows) == 2);
  rows = {{5, 2}, {1, 1}, {3, 1}};
  CHECK(twice_the_median(rows) == 8);
  rows = {{5, 1}, {1, 1}, {3, 2}};
  CHECK(twice_the_median(rows) == 6);
}
