// Impurities do not depend on the order of rows, and keep their digits at any offset.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "grow/target_facts.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

TargetFacts facts_of(Criterion criterion, const std::vector<std::int64_t>& targets) {
  Params params;
  params.criterion = criterion;
  WideInt sums[2] = {0, 0};
  for (const std::int64_t target : targets) sums[0] += 1, sums[1] += target;
  return target_facts({&params, 1.0, 1.0}, sums, [&](auto use) {
    for (const std::int64_t target : targets) use(target, std::int64_t(1));
  });
}

}  // namespace

TEST(an_orderless_sum_is_the_same_in_any_order) {
  std::mt19937_64 random(3);
  std::vector<double> terms;
  for (int i = 0; i < 1000; ++i) terms.push_back(std::ldexp(1.0, -(i % 50)) / (1 + i % 7));
  double in_order = 0;
  for (int round = 0; round < 20; ++round) {
    OrderlessSum sum(1.0, static_cast<double>(terms.size()));
    long double expected = 0;
    for (const double term : terms) sum.add(term), expected += term;
    if (round == 0) in_order = sum.value();
    CHECK(sum.value() == in_order);
    CHECK(near(sum.value(), static_cast<double>(expected), 1e-13));
    std::shuffle(terms.begin(), terms.end(), random);
  }
  OrderlessSum nothing(0.0, 5.0);
  nothing.add(0.0);
  CHECK(nothing.value() == 0);
}

TEST(an_offset_takes_no_digits_from_impurities) {
  const std::vector<std::int64_t> targets{0, 1, 3, 3, 4, 7};
  CHECK(near(facts_of(Criterion::SquaredError, targets).impurity, 5.0, 1e-15));
  const std::int64_t offset = std::int64_t(1) << 59;
  std::vector<std::int64_t> moved = targets;
  for (std::int64_t& target : moved) target += offset;
  CHECK(near(facts_of(Criterion::SquaredError, moved).impurity, 5.0, 1e-14));
  // Half a deviance is half the variance over the mean, if the mean is large.
  const double expected = 2.5 / static_cast<double>(offset);
  CHECK(near(facts_of(Criterion::Poisson, moved).impurity / expected, 1.0, 1e-9));
}

TEST(half_deviances_are_smooth_where_the_series_ends) {
  for (const double x : {-1e-3, 1e-3}) {
    const double inside = half_deviance(x), outside = half_deviance(x * (1 + 1e-15));
    CHECK(near(outside / inside, 1.0, 1e-12));
  }
  CHECK(half_deviance(-1) == 1 && half_deviance(0) == 0);
  CHECK(near(half_deviance(1), 2 * std::log(2.0) - 1));
}
