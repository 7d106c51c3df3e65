// Natural logarithms that are the same on every machine.
//
// C libraries differ in the last bit, by version and by processor, and a tree that is grown on one
// machine would not be the one that is grown on another. Here is nothing but + - x / and exact
// operations on exponents. With x = 2^e (1 + f), 1 + f between 1/sqrt(2) and sqrt(2), and
// s = f / (2 + f):
//     log x = e log 2 + 2 (s + s^3/3 + s^5/5 + ...)
// where |s| < 0.172. The series is a polynomial of fewer terms, within 2^-58, that fdlibm and the C
// libraries derived from it have. Worth 1.4 to 1.5 on a weighted tree by entropy, compared with
// eleven terms of the series one after the other.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace plaintree {

namespace logarithm {

inline constexpr double kRootOfHalf = 0x1.6a09e667f3bcdp-1;

// log 2 in two parts. The first has 37 bits: its product with an exponent is exact.
inline constexpr double kLog2High = 0x1.62e42fefap-1, kLog2Low = 0x1.cf79abc9e3b3ap-40;

// log(1 + f) for 1 + f between 1/sqrt(2) and sqrt(2). As f - s (f - ...), because 2 s = f - s f:
// the largest term is exact. Odd terms and even ones do not wait for each other.
inline double near_one(double f) {
  const double s = f / (2 + f), z = s * s, w = z * z;
  const double odd =
      z * (0x1.5555555555593p-1 +
           w * (0x1.2492494229359p-2 + w * (0x1.7466496cb03dep-3 + w * 0x1.2f112df3e5244p-3)));
  const double even =
      w * (0x1.999999997fa04p-2 + w * (0x1.c71c51d8e78afp-3 + w * 0x1.39a09d078c69fp-3));
  return f - s * (f - (odd + even));
}

// A positive number as 2^exponent times a fraction between 1/sqrt(2) and sqrt(2), from its bits.
struct Parts {
  double fraction;
  int exponent;

  explicit Parts(double x) {
    constexpr double kNormal = 0x1p-1022;
    constexpr auto kLeast = std::bit_cast<std::uint64_t>(kRootOfHalf);
    constexpr std::uint64_t kMantissa = (std::uint64_t(1) << 52) - 1;
    const bool tiny = x < kNormal;
    const auto bits = std::bit_cast<std::uint64_t>(tiny ? x * 0x1p54 : x);
    const std::uint64_t shifted = bits + (std::bit_cast<std::uint64_t>(1.0) - kLeast);
    exponent = static_cast<int>(shifted >> 52) - 1023 - (tiny ? 54 : 0);
    fraction = std::bit_cast<double>((shifted & kMantissa) + kLeast);
  }
};

}  // namespace logarithm

// Of a positive number; within a unit of the last place.
inline double natural_log(double x) {
  const auto [fraction, exponent] = logarithm::Parts(x);
  const double f = fraction - 1;
  return exponent * logarithm::kLog2High +
         (logarithm::near_one(f) + exponent * logarithm::kLog2Low);
}

// log(1 + x), without loss of digits for x near 0.
inline double natural_log_of_1_plus(double x) {
  const bool near = 1 + x > logarithm::kRootOfHalf && 1 + x < 2 * logarithm::kRootOfHalf;
  return near ? logarithm::near_one(x) : natural_log(1 + x);
}

inline double binary_log(double x) {
  constexpr double kLog2 = 0.69314718055994530942;  // as C4.5 writes it
  return natural_log(x) / kLog2;
}

// A number as the sum of two doubles, the second one smaller than the last place of the first: 106
// bits, for comparisons that must not be decided by rounding.
struct TwoDoubles {
  double high = 0, low = 0;

  TwoDoubles() = default;
  TwoDoubles(double value) : high(value) {}
  TwoDoubles(double larger, double smaller)
      : high(larger + smaller), low(smaller - (high - larger)) {}
  // Of an integer of 128 bits.
  template <class Int>
  static TwoDoubles of(Int n) {
    const auto high = static_cast<double>(n);
    return {high, static_cast<double>(n - static_cast<Int>(high))};
  }

  friend TwoDoubles operator+(const TwoDoubles& a, const TwoDoubles& b) {
    const double sum = a.high + b.high, part = sum - a.high;
    const double lost = (a.high - (sum - part)) + (b.high - part);
    return {sum, lost + (a.low + b.low)};
  }
  friend TwoDoubles operator-(const TwoDoubles& a) { return {-a.high, -a.low}; }
  friend TwoDoubles operator-(const TwoDoubles& a, const TwoDoubles& b) { return a + -b; }
  friend TwoDoubles operator*(const TwoDoubles& a, const TwoDoubles& b) {
    const double product = a.high * b.high;
    const double lost = std::fma(a.high, b.high, -product);
    return {product, lost + (a.high * b.low + a.low * b.high)};
  }
  friend TwoDoubles operator/(const TwoDoubles& a, const TwoDoubles& b) {
    const double first = a.high / b.high;
    const double second = (a - b * first).high / b.high;
    const double third = (a - b * first - b * second).high / b.high;
    return TwoDoubles(first, second) + third;
  }
};

// Of a positive number; to about 100 bits.
inline TwoDoubles natural_log(const TwoDoubles& x) {
  const TwoDoubles log2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  int exponent = 0;
  if (std::frexp(x.high, &exponent) < logarithm::kRootOfHalf) --exponent;
  const TwoDoubles fraction(std::ldexp(x.high, -exponent), std::ldexp(x.low, -exponent));
  const TwoDoubles s = (fraction - 1.0) / (fraction + 1.0), z = s * s;
  TwoDoubles sum;
  for (int k = 41; k >= 3; k -= 2) sum = (sum + TwoDoubles(1.0) / double(k)) * z;
  const TwoDoubles of_fraction = s + s * sum;
  return log2 * double(exponent) + (of_fraction + of_fraction);
}

}  // namespace plaintree
