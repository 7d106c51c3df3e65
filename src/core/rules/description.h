// The length of a description: rules of a class, and the rows that they get wrong (C4.5rules).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plaintree {

class ExceptionBits {
 public:
  explicit ExceptionBits(std::int64_t n_rows)
      : n_rows_(n_rows), log2_halves_(2 * static_cast<std::size_t>(n_rows) + 1, 0.0) {
    for (std::size_t i = 1; i < log2_halves_.size(); ++i)
      log2_halves_[i] = std::log2(static_cast<double>(i)) - 1;
  }

  // The bits to say which of the covered rows, and which of the others, are exceptions.
  double operator()(std::int64_t covered, std::int64_t false_positives,
                    std::int64_t false_negatives) const {
    const std::int64_t mean_twice = false_positives + false_negatives;
    const bool many = 2 * covered > n_rows_;
    return log2(2 * n_rows_) +
           selection(covered, false_positives, many ? mean_twice : 2 * false_positives) +
           selection(n_rows_ - covered, false_negatives, many ? 2 * false_negatives : mean_twice);
  }

 private:
  static constexpr double kImpossible = 1e6;

  double log2(std::int64_t twice) const { return log2_halves_[twice]; }

  // The bits to say which of n rows are chosen if a number of them is expected, given as its
  // double.
  double selection(std::int64_t n, std::int64_t chosen, std::int64_t expected_twice) const {
    if (expected_twice <= 0) return chosen == 0 ? 0.0 : kImpossible;
    if (expected_twice >= 2 * n) return chosen == n ? 0.0 : kImpossible;
    const double all = log2(2 * n);
    return static_cast<double>(chosen) * (all - log2(expected_twice)) +
           static_cast<double>(n - chosen) * (all - log2(2 * n - expected_twice));
  }

  std::int64_t n_rows_;
  std::vector<double> log2_halves_;  // of 0 (unused), 1/2, 1, 3/2 ...
};

}  // namespace plaintree
