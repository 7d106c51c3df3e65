// A shrinking list of rows against the definition of its deviation.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "stats/median_list.h"

using namespace plaintree;

namespace {

// The least sum of weighted distances from any target.
WideInt deviation_by_definition(const std::vector<TargetWeight>& rows) {
  WideInt least = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    WideInt sum = 0;
    for (const TargetWeight& row : rows) {
      const WideInt distance = static_cast<WideInt>(row.target) - rows[i].target;
      sum += (distance < 0 ? -distance : distance) * row.weight;
    }
    least = i == 0 ? sum : std::min(least, sum);
  }
  return least;
}

}  // namespace

TEST(a_median_list_has_the_least_deviation_of_its_rows) {
  std::mt19937 random(3);
  MedianList list;
  for (int round = 0; round < 200; ++round) {
    std::vector<TargetWeight> rows(1 + random() % 12);
    const unsigned n_targets = round % 2 ? 4 : 1000;
    for (TargetWeight& row : rows)
      row = {static_cast<std::int64_t>(random() % n_targets) - 300,
             static_cast<std::int64_t>(1 + random() % (round % 3 ? 1 : 50))};
    std::sort(rows.begin(), rows.end(),
              [](const TargetWeight& a, const TargetWeight& b) { return a.target < b.target; });
    std::vector<std::uint32_t> order(rows.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    list.start(rows);
    for (std::size_t gone = 0; gone <= order.size(); ++gone) {
      std::vector<TargetWeight> left;
      for (std::size_t i = gone; i < order.size(); ++i) left.push_back(rows[order[i]]);
      CHECK(list.deviation() == deviation_by_definition(left));
      if (gone < order.size()) list.remove(order[gone]);
    }
  }
}

TEST(a_row_that_is_there_several_times_is_removed_by_its_last_place) {
  const std::vector<TargetWeight> rows{{1, 1}, {5, 16}, {5, 3}, {9, 1}};
  MedianList list;
  list.start(rows);
  list.remove(2);
  list.remove(2);
  CHECK(list.deviation() == 8);
}
