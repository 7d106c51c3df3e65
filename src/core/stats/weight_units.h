// Weights as integer multiples of a unit.
//
// The unit is a power of two, small enough that the sum of all weights stays below 2^61 units. Sums
// of such numbers are exact, so they do not depend on the order of rows, threads or machines, and
// a row of weight 2 counts just like two rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace plaintree {

class WeightUnits {
 public:
  // For these weights, or for n rows that count 1 if there are none.
  WeightUnits(std::span<const double> weights, std::size_t n)
      : WeightUnits(heaviest_of(weights), n) {}
  // For n rows that weigh as much as the heaviest at most. A sum of the weights would be a closer
  // bound, but not the same in every order of rows; and a sample with repetitions may have the
  // heaviest row in place of every other.
  WeightUnits(double heaviest, std::size_t n) : bits_(bits_for(heaviest, n)) {}
  explicit WeightUnits(int bits) : bits_(bits) {}

  std::int64_t of(double weight) const { return std::llrint(std::ldexp(weight, bits_)); }
  double unit() const { return std::ldexp(1.0, -bits_); }
  // A unit is 2^-bits.
  int bits() const { return bits_; }

 private:
  static double heaviest_of(std::span<const double> weights) {
    return weights.empty() ? 1.0 : std::max(0.0, *std::max_element(weights.begin(), weights.end()));
  }
  static int bits_for(double heaviest, std::size_t n) {
    constexpr int kMost = 1000;
    int exponent = 0;  // kept apart, so that the product can become neither infinite nor zero
    const double total = std::frexp(heaviest, &exponent) * static_cast<double>(n);
    if (total == 0) return kMost;
    return std::min(61 - (std::ilogb(total) + exponent + 1), kMost);
  }

  int bits_;
};

}  // namespace plaintree
