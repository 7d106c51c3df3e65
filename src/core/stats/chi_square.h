// Pearson's chi-square test of independence for a table of branches x classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace plaintree {

// The upper regularised incomplete gamma function Q(a, x): a series below the peak of the
// integrand, a continued fraction (Lentz) above it.
inline double upper_gamma(double a, double x) {
  if (x <= 0) return 1.0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; std::fabs(term) > std::fabs(sum) * 1e-16; ++n) {
      term *= x / n;
      sum += term;
    }
    return std::max(0.0, 1 - front * sum);
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double delta = d * c;
    h *= delta;
    if (std::fabs(delta - 1) < 1e-16) break;
  }
  return front * h;
}

// The p-value of a table (rows x columns, row-major); empty rows and columns do not count. A table
// without two of each has a p-value of 1. Two by two, where a count below five is expected, Yates's
// correction takes half a row off each difference: the test would find too much otherwise.
inline double chi_square_p(std::span<const double> table, std::size_t n_columns) {
  const std::size_t n_rows = n_columns ? table.size() / n_columns : 0;
  std::vector<double> row_sum(n_rows, 0), column_sum(n_columns, 0);
  double total = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    row_sum[i / n_columns] += table[i];
    column_sum[i % n_columns] += table[i];
    total += table[i];
  }
  const auto expected = [&](std::size_t i) {
    return row_sum[i / n_columns] * column_sum[i % n_columns] / total;
  };
  int rows = 0, columns = 0;
  for (const double s : row_sum) rows += s > 0;
  for (const double s : column_sum) columns += s > 0;
  if (rows < 2 || columns < 2) return 1.0;
  double least = 5;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (expected(i) > 0) least = std::min(least, expected(i));
  const double correction = rows == 2 && columns == 2 && least < 5 ? 0.5 : 0.0;
  double statistic = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (expected(i) <= 0) continue;
    const double difference = std::max(0.0, std::fabs(table[i] - expected(i)) - correction);
    statistic += difference * difference / expected(i);
  }
  return upper_gamma((rows - 1) * (columns - 1) / 2.0, statistic / 2);
}

}  // namespace plaintree
