// Logarithms against exact values, and against those of the C library.
#include <cmath>
#include <cstdint>
#include <random>

#include "base/logarithm.h"
#include "check.h"

using namespace plaintree;

namespace {

// Exact values, rounded to two doubles.
struct Exact {
  std::int64_t of;
  double high, low;
};
constexpr Exact kExact[] = {
    {2, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
    {3, 0x1.193ea7aad030bp+0, -0x1.a256f99caabebp-54},
    {10, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53},
    {12345678901, 0x1.73c8ffabe025fp+4, -0x1.a8ed4d58c15abp-51},
    {9223372036854775783, 0x1.5d589f2fe5107p+5, 0x1.e2295e1264d1fp-49},
};

double last_place(double x) { return std::nextafter(std::fabs(x), INFINITY) - std::fabs(x); }

}  // namespace

TEST(logarithm_of_one_is_zero) {
  CHECK(natural_log(1.0) == 0.0);
  CHECK(natural_log_of_1_plus(0.0) == 0.0);
  CHECK(binary_log(1.0) == 0.0);
}

TEST(logarithms_are_exact_to_a_unit_of_the_last_place) {
  for (const Exact& exact : kExact) {
    const double found = natural_log(static_cast<double>(exact.of));
    CHECK(std::fabs(found - exact.high) <= last_place(exact.high));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(1.0 + std::ldexp(static_cast<double>(random() >> 12), -52),
                                static_cast<int>(random() % 200) - 100);
    const auto exact = static_cast<double>(std::log(static_cast<long double>(x)));
    CHECK(std::fabs(natural_log(x) - exact) <= last_place(exact));
    const double part = std::ldexp(static_cast<double>(random() >> 12), -54) - 0.1;
    const auto of_part = static_cast<double>(std::log1p(static_cast<long double>(part)));
    CHECK(std::fabs(natural_log_of_1_plus(part) - of_part) <= 2 * last_place(of_part));
  }
}

TEST(logarithms_of_two_doubles_have_a_hundred_bits) {
  for (const Exact& exact : kExact) {
    const TwoDoubles found = natural_log(TwoDoubles::of(static_cast<__int128>(exact.of)));
    const double error = (found.high - exact.high) + (found.low - exact.low);
    CHECK(std::fabs(error) <= std::ldexp(exact.high, -98));
  }
}

TEST(logarithms_of_products_are_sums) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10000; ++i) {
    const auto a = static_cast<std::int64_t>(random() >> 33), b = std::int64_t(random() >> 34) + 1;
    const auto log = [](__int128 n) { return natural_log(TwoDoubles::of(n)); };
    if (a == 0) continue;
    const TwoDoubles difference = log(a) + log(b) - log(static_cast<__int128>(a) * b);
    CHECK(std::fabs(difference.high) <= std::ldexp(50.0, -98));
  }
}
