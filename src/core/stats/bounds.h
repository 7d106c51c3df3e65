// What a node of a monotonic tree may predict, and exact comparisons of predictions.
//
// A node's value is its mean, or the probability of the second class: a fraction of two integers.
// Where a split is on a monotonic column, the middle between the values of its children bounds both
// subtrees: no value of the lower one is above it, and none of the upper one below.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "base/natural.h"
#include "base/params.h"
#include "stats/sums.h"

namespace plaintree {

struct Fraction {
  WideInt sum = 0, weight = 0;  // in units; a weight of 0: there is none

  double number() const { return static_cast<double>(sum) / static_cast<double>(weight); }
};

// The value of a group of rows from its sums, of two classes or of a numeric target.
template <class Count>
Fraction value_of(const Count* sums, Count total) {
  return {static_cast<WideInt>(sums[1]), static_cast<WideInt>(total)};
}

// The middle of two values.
struct Middle {
  Fraction low, high;

  bool is_there() const { return low.weight > 0; }
  // Of two probabilities it is a half where it should be, which a label depends on.
  double number() const {
    constexpr WideInt kFits = WideInt(1) << 62;
    if (low.sum < 0 || low.sum >= kFits || high.sum < 0 || high.sum >= kFits)
      return low.number() / 2 + high.number() / 2;
    const WideInt sum = low.sum * high.weight + high.sum * low.weight;
    return static_cast<double>(sum) / static_cast<double>(low.weight * high.weight) / 2;
  }
};

// The sign of a sum of products, of which only the first factors may be negative.
inline int sign_of_sum(std::initializer_list<std::array<WideInt, 3>> products) {
  __extension__ typedef unsigned __int128 Bits;
  Natural plus, minus;
  for (const auto& [first, second, third] : products) {
    const Natural size = Natural::wide(static_cast<Bits>(first < 0 ? -first : first));
    (first < 0 ? minus : plus) +=
        size * Natural::wide(static_cast<Bits>(second)) * Natural::wide(static_cast<Bits>(third));
  }
  return plus == minus ? 0 : plus > minus ? 1 : -1;
}

// The sign of a - b where rounding leaves no doubt, otherwise 0.
inline int clear_sign(double a, double b) {
  constexpr double kRounding = 1e-12;
  if (std::fabs(a - b) <= kRounding * (std::fabs(a) + std::fabs(b))) return 0;
  return a > b ? 1 : -1;
}

inline int compare(const Fraction& a, const Fraction& b) {
  if (const int sign = clear_sign(a.number(), b.number())) return sign;
  return sign_of_sum({{a.sum, b.weight, 1}, {-b.sum, a.weight, 1}});
}
inline int compare(const Fraction& value, const Middle& middle) {
  if (const int sign = clear_sign(value.number(), middle.number())) return sign;
  const auto& [low, high] = middle;
  return sign_of_sum({{2 * value.sum, low.weight, high.weight},
                      {-low.sum, high.weight, value.weight},
                      {-high.sum, low.weight, value.weight}});
}

struct Bounds {
  Middle least, most;
  // The same as numbers, likewise in units. Those of a child lie within its parent's.
  double lowest = -kInfinity, highest = kInfinity;

  bool hold(const Fraction& value) const {
    return (!least.is_there() || compare(value, least) >= 0) &&
           (!most.is_there() || compare(value, most) <= 0);
  }
  double clipped(double value, double unit = 1) const {
    return std::clamp(value, lowest * unit, highest * unit);
  }

  Bounds below(const Middle& middle) const { return bounded(middle, true); }
  Bounds above(const Middle& middle) const { return bounded(middle, false); }

 private:
  Bounds bounded(const Middle& middle, bool from_above) const {
    Bounds result = *this;
    (from_above ? result.most : result.least) = middle;
    (from_above ? result.highest : result.lowest) = clipped(middle.number());
    return result;
  }
};

// Whether a split on a column may have these values on its sides.
struct Monotonic {
  int sign = 0;  // 1: values rise with the column, -1: they fall; 0: any split will do
  const Bounds* bounds = nullptr;

  bool allows(const Fraction& low, const Fraction& high) const {
    return compare(high, low) * sign >= 0 && bounds->hold(low) && bounds->hold(high);
  }
};

}  // namespace plaintree
