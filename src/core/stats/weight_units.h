// Weights as integer multiples of a unit.
//
// The unit is a power of two, small enough that the sum of all weights stays below 2^61 units. Sums
// of such numbers are exact, so they do not depend on the order of rows, threads or machines, and
// a row of weight 2 counts just like two rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace plaintree {

class WeightUnits {
 public:
  // For these weights, or for n rows that count 1 if there are none. In a sample with repetitions
  // the row of largest weight may be there instead of every other.
  WeightUnits(std::span<const double> weights, std::size_t n, bool repeats = false) {
    long double total = weights.empty() ? static_cast<long double>(n) : 0.0L;
    long double heaviest = 0.0L;
    for (const double weight : weights) {
      total += weight;
      heaviest = std::max(heaviest, static_cast<long double>(weight));
    }
    if (repeats) total = std::max(total, heaviest * static_cast<long double>(n));
    bits_ = std::min(61 - (std::ilogb(static_cast<double>(total)) + 1), 1000);
  }
  std::int64_t of(double weight) const { return std::llrint(std::ldexp(weight, bits_)); }
  double unit() const { return std::ldexp(1.0, -bits_); }

 private:
  int bits_;
};

}  // namespace plaintree
