// The unit of weights: from the largest weight and the number of rows, whatever their order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "stats/weight_units.h"

using namespace plaintree;

namespace {

bool fits(const WeightUnits& units, double heaviest, double n) {
  return std::ldexp(heaviest, units.bits()) * n < 0x1p61;
}

}  // namespace

TEST(the_unit_does_not_depend_on_the_order_of_rows) {
  std::mt19937 random(5);
  std::vector<double> weights;
  for (int i = 0; i < 1023; ++i) weights.push_back(1 + static_cast<double>(random()) * 0x1p-32);
  // Sums of 1023 numbers and one that brings their sum to the edge of a power of two.
  double sum = 0;
  for (const double weight : weights) sum += weight;
  weights.push_back(2048 - sum);
  const int bits = WeightUnits(weights, weights.size()).bits();
  for (int i = 0; i < 100; ++i) {
    std::shuffle(weights.begin(), weights.end(), random);
    CHECK(WeightUnits(weights, weights.size()).bits() == bits);
  }
}

TEST(the_unit_is_that_of_the_largest_weight_and_the_number_of_rows) {
  for (const double heaviest : {1.0, 0.1, 3.7, 0x1p-40, 1e100, std::nextafter(1.0, 0.0)}) {
    for (const std::size_t n : {1, 2, 3, 7, 8, 9, 1000, 1 << 20}) {
      std::vector<double> weights(n, heaviest / 3);
      weights[n / 2] = heaviest;
      const WeightUnits units(weights, n), known(heaviest, n), again(units.bits());
      CHECK(units.bits() == known.bits() && again.bits() == units.bits());
      CHECK(again.unit() == units.unit() && again.of(heaviest) == units.of(heaviest));
      CHECK(fits(units, heaviest, static_cast<double>(n)));
      CHECK(!fits(WeightUnits(units.bits() + 2), heaviest, static_cast<double>(n)));
    }
  }
}

TEST(rows_without_weights_count_one) {
  for (const std::size_t n : {1, 2, 3, 4, 1023, 1024, 1025})
    CHECK(WeightUnits(std::vector<double>{}, n).bits() == WeightUnits(1.0, n).bits());
  CHECK(WeightUnits(1.0, 1023).bits() == 51 && WeightUnits(1.0, 1024).bits() == 50);
}

TEST(rows_of_weight_zero_are_counted) {
  CHECK(WeightUnits(std::vector<double>{0, 1, 0, 0}, 4).bits() == WeightUnits(1.0, 4).bits());
}

TEST(extreme_weights_have_a_unit) {
  CHECK(WeightUnits(1e-320, 10).bits() == 1000);  // no unit is smaller
  CHECK(WeightUnits(0.0, 10).bits() == 1000);     // nothing to be measured
  CHECK(fits(WeightUnits(1e308, 1 << 30), 1e308, 1 << 30));
}
