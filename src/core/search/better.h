// Which of two splits of a column is better: the one place that decides.
//
//   1. The split of the greater value is better, if the values differ by more than rounding.
//   2. Otherwise the class counts of their branches are compared exactly, by integers.
//   3. Of equal splits the one found first stays: the lowest threshold, the first category.
//
// So the way a count was made, the unit of weights and the order of classes decide nothing.
// A search may reject a split by a bound that leaves a margin for rounding, but whichever
// are left are compared here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "base/logarithm.h"
#include "base/natural.h"
#include "stats/criterion.h"
#include "stats/target_measure.h"

namespace plaintree {

// Values nearer than this may be equal: rounding is below it, and true differences that are
// smaller are found by integers.
inline constexpr double kNear = 1e-9;

// ---------------------------------------------------------------------------- Gini

// The weights of both branches, and their squared class weights, summed up.
template <class Number>
struct Squares {
  Number low, high, low_squares, high_squares;

  // low_squares / low + high_squares / high as a fraction: the more, the less impurity is left.
  Number above() const { return low_squares * high + high_squares * low; }
  Number below() const { return low * high; }
};

template <class Number>
bool is_purer(const Squares<Number>& a, const Squares<Number>& b) {
  return a.above() * b.below() > b.above() * a.below();
}

// For n rows these products are n^5 / 16 at most. Up to this many they fit 128 bits.
inline constexpr std::int64_t kRowsIn128Bits = std::int64_t(1) << 26;
__extension__ typedef unsigned __int128 Bits128;

// ---------------------------------------------------------------------------- any criterion

// The class weights of the two branches of a split, in units.
template <class Count>
struct Sides {
  const Count *low, *high;
  Count low_total, high_total;
  int n_classes;

  template <class Number>
  Squares<Number> squares() const {
    const auto number = [](Count n) { return Number(static_cast<std::uint64_t>(n)); };
    Squares<Number> s{number(low_total), number(high_total), number(0), number(0)};
    for (int c = 0; c < n_classes; ++c) {
      s.low_squares += number(low[c]) * number(low[c]);
      s.high_squares += number(high[c]) * number(high[c]);
    }
    return s;
  }
  bool is_purer_than(const Sides& other) const {
    if (low_total + high_total <= kRowsIn128Bits)
      return is_purer(squares<Bits128>(), other.template squares<Bits128>());
    return is_purer(squares<Natural>(), other.template squares<Natural>());
  }
  Count n_right() const {
    return *std::max_element(low, low + n_classes) + *std::max_element(high, high + n_classes);
  }
  bool same_sizes(const Sides& other) const {
    return std::minmax(low_total, high_total) == std::minmax(other.low_total, other.high_total);
  }
  // Whether every class is on one side only: the gain is the split information then.
  bool separates_classes() const {
    for (int c = 0; c < n_classes; ++c)
      if (low[c] > 0 && high[c] > 0) return false;
    return true;
  }
};

// The exponent of every prime in the product of n^n over these numbers.
inline std::map<std::uint64_t, std::int64_t> exponents(const std::vector<std::uint64_t>& numbers) {
  std::map<std::uint64_t, std::int64_t> found;
  for (const std::uint64_t number : numbers) {
    std::uint64_t rest = number;
    const auto divide = [&](std::uint64_t prime) {
      for (; rest % prime == 0; rest /= prime) found[prime] += static_cast<std::int64_t>(number);
    };
    for (std::uint64_t prime = 2; prime * prime <= rest; ++prime) divide(prime);
    if (rest > 1) divide(rest);
  }
  return found;
}

// By how much sum n log n of the first numbers exceeds that of the others; zero only if it is.
// The sums of the numbers themselves are equal, so their unit does not matter.
inline double excess_of_logarithms(std::vector<std::uint64_t> plus,
                                   std::vector<std::uint64_t> minus) {
  std::sort(plus.begin(), plus.end());
  std::sort(minus.begin(), minus.end());
  std::vector<std::uint64_t> more, less;
  std::set_difference(plus.begin(), plus.end(), minus.begin(), minus.end(),
                      std::back_inserter(more));
  std::set_difference(minus.begin(), minus.end(), plus.begin(), plus.end(),
                      std::back_inserter(less));
  std::uint64_t unit = 0, most = 0;
  for (const auto* numbers : {&more, &less})
    for (const std::uint64_t n : *numbers) {
      unit = std::gcd(unit, n);
      most = std::max(most, n);
    }
  if (unit == 0) return 0;
  for (auto* numbers : {&more, &less})
    for (std::uint64_t& n : *numbers) n /= unit;
  // Logarithms of primes are independent: sums are equal only if each prime is as frequent.
  constexpr std::uint64_t kFactored = std::uint64_t(1) << 32;
  if (most / unit < kFactored && exponents(more) == exponents(less)) return 0;
  const auto sum = [](const std::vector<std::uint64_t>& numbers) {
    TwoDoubles total;
    for (const std::uint64_t n : numbers) {
      const auto x = TwoDoubles::of(static_cast<WideInt>(n));
      total = total + x * natural_log(x);
    }
    return total;
  };
  return (sum(more) - sum(less)).high;
}

// By how much more information a leaves open than b: positive, negative or zero.
template <class Count>
double excess_of_information(const Sides<Count>& a, const Sides<Count>& b) {
  std::vector<std::uint64_t> plus, minus;
  const auto add = [](std::vector<std::uint64_t>& to, Count n) {
    if (n > 0) to.push_back(static_cast<std::uint64_t>(n));
  };
  for (const Count n : {a.low_total, a.high_total}) add(plus, n);
  for (const Count n : {b.low_total, b.high_total}) add(minus, n);
  for (int c = 0; c < a.n_classes; ++c) {
    add(plus, b.low[c]), add(plus, b.high[c]);
    add(minus, a.low[c]), add(minus, a.high[c]);
  }
  return excess_of_logarithms(std::move(plus), std::move(minus));
}

// Whether a is better than b by their class weights, where values are equal but for rounding.
template <class Count>
bool is_better_by_counts(const Params& params, bool by_gain, const Sides<Count>& a, double value,
                         const Sides<Count>& b, double other) {
  switch (params.criterion) {
    case Criterion::Gini:
      return a.is_purer_than(b);
    case Criterion::Error:
      return a.n_right() > b.n_right();
    case Criterion::InformationGain:
      return excess_of_information(a, b) < 0;
    case Criterion::GainRatio:
    case Criterion::GainRatioConditional:
    case Criterion::SquaredError:
    case Criterion::AbsoluteError:
    case Criterion::Poisson:
      break;
  }
  const double excess = excess_of_information(a, b);
  if (by_gain) return excess < 0;
  const bool ratio = params.criterion == Criterion::GainRatio;
  if (excess == 0 && (!ratio || a.same_sizes(b))) return false;
  if (ratio && a.separates_classes() && b.separates_classes()) return false;  // both are 1
  return value > other;
}

// ---------------------------------------------------------------------------- numeric targets

// sum^2 / weight of both branches: the more, the less squared error is left.
inline Squares<Natural> squares_of_targets(const Sides<WideInt>& sides) {
  const auto number = [](WideInt n) { return Natural::wide(static_cast<Bits128>(n < 0 ? -n : n)); };
  const Natural low = number(sides.low[1]), high = number(sides.high[1]);
  return {number(sides.low_total), number(sides.high_total), low * low, high * high};
}

// Whether a leaves less deviance open than b, by more than rounding.
inline bool has_less_deviance(const Sides<WideInt>& a, const Sides<WideInt>& b) {
  constexpr double kRounding = 1e-27;
  TwoDoubles sum;
  double size = 0;
  const auto add = [&](const WideInt* group, double sign) {
    if (group[1] <= 0) return;
    const auto weight = TwoDoubles::of(group[0]), events = TwoDoubles::of(group[1]);
    const TwoDoubles part = events * natural_log(events / weight);
    sum = sum + part * sign;
    size += std::fabs(part.high);
  };
  add(a.low, 1), add(a.high, 1), add(b.low, -1), add(b.high, -1);
  return sum.high > kRounding * size;
}

// Whether split a, whose value is `value`, is better than split b of the same rows. `by_gain`:
// values are gains, whatever the criterion.
template <class Count>
bool is_better(const Params& params, bool by_gain, const Sides<Count>& a, double value,
               const Sides<Count>& b, double other) {
  const double near = kNear * std::max(1.0, std::fabs(other));
  if (!(std::fabs(value - other) <= near)) return value > other;
  if constexpr (!SumsOf<Count>::kClasses) {
    if (params.criterion == Criterion::Poisson) return has_less_deviance(a, b);
    return is_purer(squares_of_targets(a), squares_of_targets(b));
  } else {
    return is_better_by_counts(params, by_gain, a, value, b, other);
  }
}

}  // namespace plaintree
