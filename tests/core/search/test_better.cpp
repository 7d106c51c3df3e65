// Which of two splits is better: exactly, where rounding cannot tell.
#include <cstdint>
#include <random>
#include <vector>

#include "base/natural.h"
#include "check.h"
#include "search/better.h"

using namespace plaintree;

namespace {

struct Branches {
  std::vector<std::int64_t> low, high;

  Sides<std::int64_t> sides() const {
    std::int64_t low_total = 0, high_total = 0;
    for (const std::int64_t n : low) low_total += n;
    for (const std::int64_t n : high) high_total += n;
    return {low.data(), high.data(), low_total, high_total, static_cast<int>(low.size())};
  }
};

bool better(Criterion criterion, const Branches& a, const Branches& b) {
  Params params;
  params.criterion = criterion;
  return is_better(params, false, a.sides(), 0.5, b.sides(), 0.5);  // values that cannot tell
}

bool tied(Criterion criterion, const Branches& a, const Branches& b) {
  return !better(criterion, a, b) && !better(criterion, b, a);
}

constexpr Criterion kCriteria[] = {Criterion::InformationGain, Criterion::GainRatio,
                                   Criterion::GainRatioConditional, Criterion::Gini,
                                   Criterion::Error};

}  // namespace

TEST(natural_numbers_multiply_beyond_a_word) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random() >> 34, b = random() >> 34, c = random() >> 34;
    CHECK(Natural(a) * Natural(b) + Natural(c) == Natural(a * b + c));
    CHECK((Natural(a) < Natural(b)) == (a < b));
  }
  const Natural large(~std::uint64_t(0));
  const Natural power = large * large * large * large * large;  // of 320 bits
  CHECK(power + Natural(1) > power);
  CHECK(power * Natural(2) == power + power);
}

TEST(mirrored_and_permuted_branches_tie) {
  const Branches one{{7, 0, 3}, {1, 5, 9}}, mirrored{{1, 5, 9}, {7, 0, 3}},
      permuted{{3, 7, 0}, {9, 1, 5}};
  for (const Criterion criterion : kCriteria) {
    CHECK(tied(criterion, one, mirrored));
    CHECK(tied(criterion, one, permuted));
  }
}

TEST(one_row_in_a_thousand_million_decides) {
  constexpr std::int64_t n = 1'000'000'000'000'000;  // units of weight, beyond what doubles tell
  const Branches one{{n, n / 3}, {n / 5, n}}, other{{n, n / 3 + 1}, {n / 5, n - 1}};
  CHECK(better(Criterion::Gini, one, other));
  CHECK(!better(Criterion::Gini, other, one));
  CHECK(better(Criterion::Error, one, other) || better(Criterion::Error, other, one));
}

TEST(equal_sums_of_logarithms_are_found_by_their_primes) {
  CHECK(excess_of_logarithms({4, 4, 4}, {8, 1, 1, 1, 1}) == 0);
  CHECK(excess_of_logarithms({5, 3}, {4, 4}) > 0);
  CHECK(excess_of_logarithms({4, 4}, {5, 3}) < 0);
  CHECK(excess_of_logarithms({12, 12, 12}, {24, 3, 3, 3, 3}) == 0);  // the same in another unit
}

TEST(gain_ratios_of_one_tie) {
  const Branches first{{4, 0, 0}, {0, 3, 2}}, second{{4, 3, 0}, {0, 0, 2}};
  CHECK(tied(Criterion::GainRatio, first, second));
}
