// Exact tests against values that can be counted by hand.
#include <vector>

#include "check.h"
#include "stats/exact_test.h"
#include "stats/selection.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(exact_test_of_one_split) {
  // The lady tasting tea: 2 (16 + 1) of 70 orders. Then one with an empty far tail.
  CHECK(near(Urn(4, 8).fisher(3, 4), 0.4857142857142857, 1e-12));
  CHECK(near(Urn(3, 20).fisher(3, 3), 1.0 / 1140, 1e-12));
}

TEST(exact_test_of_all_thresholds) {
  // Four rows, two of the class: only pure halves have p <= 1/3, two of six orders.
  CHECK(near(Urn(2, 4).best_threshold_p(1.0 / 3), 1.0 / 3, 1e-12));
  // The only smallest p-value is that of all rows of the class at one end.
  CHECK(near(Urn(3, 20).best_threshold_p(1.0 / 1140), 2.0 / 1140, 1e-12));
}

TEST(selection_counts_the_thresholds) {
  const std::vector<double> table = {60, 40, 40, 60};
  const auto p = [&](int n_values) {
    return adjusted_p(table, 2, {NodeKind::Threshold, n_values, 1});
  };
  CHECK(near(p(2), Urn(100, 200).fisher(60, 100), 1e-12));
  CHECK(near(p(4), 3 * p(2), 1e-12));
  CHECK(p(0) > p(4));
  CHECK(p(200) == p(0));
}
