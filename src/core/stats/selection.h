// The p-value of a chosen split, adjusted for the splits it was chosen from.
//
// Three steps, each of which reads nothing but the table of branches x classes, so that growing and
// a finished tree agree. Weights count as rows, rounded to whole ones; of a larger total, as many
// rows as the core can hold.
//   1. the split by itself   Fisher's exact test for two branches and two classes; Pearson's
//                            chi-square where all expected counts are at least five; otherwise
//                            exact tests of one class each, or random tables of the same margins,
//                            or with very many rows exact tests of one cell each
//   2. within its column     how likely the best of the column's candidates has a p-value as small:
//                            the number of candidates times p, or less:
//        thresholds          exactly, by counting the orders of the rows (two classes, or rare
//                            ones; up to 2,000 rows); otherwise a chi-square process that is
//                            observed after every row (James, James and Siegmund 1987)
//        sets of categories  a part of the statistic of all categories apart
//   3. between columns       1 - (1 - p)^columns
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "base/node_kind.h"
#include "base/random.h"
#include "stats/chi_square.h"
#include "stats/exact_test.h"

namespace plaintree {

// What a split was chosen from.
struct Selection {
  NodeKind kind;
  int n_values;   // of the split column: categories, or distinct numbers; 0: many numbers
  int n_columns;  // that could be split on
};

inline constexpr double kLeastExpected = 5;  // for the chi-square distribution to hold

inline std::int64_t least(const std::vector<std::int64_t>& sums) {
  return *std::min_element(sums.begin(), sums.end());
}

// Whole counts of branches x classes, without empty ones.
struct CountTable {
  std::vector<std::int64_t> counts, row_sum, column_sum;
  std::int64_t total = 0;
  int rows() const { return static_cast<int>(row_sum.size()); }
  int columns() const { return static_cast<int>(column_sum.size()); }
  int degrees() const { return (rows() - 1) * (columns() - 1); }
  double expected(int i, int j) const {
    return static_cast<double>(row_sum[i]) * static_cast<double>(column_sum[j]) /
           static_cast<double>(total);
  }
  double least_expected() const {
    return static_cast<double>(least(row_sum)) * static_cast<double>(least(column_sum)) /
           static_cast<double>(total);
  }
};

inline CountTable count_table(std::span<const double> table, std::size_t n_columns) {
  constexpr double kMostRows = 4294967295.0;
  const std::size_t n_rows = n_columns ? table.size() / n_columns : 0;
  const double weight = std::accumulate(table.begin(), table.end(), 0.0);
  const double scale = weight > kMostRows ? kMostRows / weight : 1.0;
  const auto count = [&](std::size_t i) { return std::llround(table[i] * scale); };
  std::vector<std::int64_t> row_sum(n_rows, 0), column_sum(n_columns, 0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    row_sum[i / n_columns] += count(i);
    column_sum[i % n_columns] += count(i);
  }
  CountTable made;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (row_sum[i / n_columns] > 0 && column_sum[i % n_columns] > 0)
      made.counts.push_back(count(i));
  const auto keep = [](const auto& sums, auto& kept) {
    std::copy_if(sums.begin(), sums.end(), std::back_inserter(kept), [](auto s) { return s > 0; });
  };
  keep(row_sum, made.row_sum);
  keep(column_sum, made.column_sum);
  made.total = std::accumulate(row_sum.begin(), row_sum.end(), std::int64_t{0});
  return made;
}

// Pearson's statistic of counts with the margins of `table`.
inline double pearson(const CountTable& table, const std::vector<std::int64_t>& counts) {
  double sum = 0;
  for (int i = 0; i < table.rows(); ++i)
    for (int j = 0; j < table.columns(); ++j) {
      const double expected = table.expected(i, j);
      const double off =
          static_cast<double>(counts[static_cast<std::size_t>(i) * table.columns() + j]) - expected;
      sum += off * off / expected;
    }
  return sum;
}

// The part of random tables with these margins whose statistic is no smaller. Draws end early once
// it is clear that chance does as well (Besag and Clifford 1991). The random numbers are keyed by
// the number of the draw alone: the same table has the same p-value everywhere.
inline double random_tables_p(const CountTable& table) {
  constexpr int kDraws = 1999, kEnough = 50;
  const double seen = pearson(table, table.counts) * (1 - 1e-12);
  std::vector<std::uint32_t> classes;
  for (int j = 0; j < table.columns(); ++j) classes.insert(classes.end(), table.column_sum[j], j);
  std::vector<std::int64_t> counts(table.counts.size());
  int exceeding = 0;
  for (int draw = 1; draw <= kDraws; ++draw) {
    const std::uint64_t key = mix(0x5e1ec7, static_cast<std::uint64_t>(draw));
    std::fill(counts.begin(), counts.end(), 0);
    std::size_t at = 0;
    for (int i = 0; i < table.rows(); ++i)
      for (std::int64_t k = 0; k < table.row_sum[i]; ++k, ++at) {
        const auto left = static_cast<std::uint32_t>(classes.size() - at);
        std::swap(classes[at], classes[at + below(mix(key, at), left)]);
        ++counts[static_cast<std::size_t>(i) * table.columns() + classes[at]];
      }
    exceeding += pearson(table, counts) >= seen;
    if (exceeding == kEnough) return static_cast<double>(kEnough) / draw;
  }
  return (exceeding + 1.0) / (kDraws + 1.0);
}

// Step 1. Which test is made depends on the margins alone.
inline double split_p(const CountTable& table) {
  constexpr std::int64_t kMostDrawn = std::int64_t{1} << 22;  // every draw shuffles all rows
  if (table.rows() < 2 || table.columns() < 2) return 1.0;
  const auto of_cell = [&](int i, int j) {
    return Urn(table.column_sum[j], table.total)
        .fisher(table.counts[static_cast<std::size_t>(i) * table.columns() + j], table.row_sum[i]);
  };
  if (table.rows() == 2 && table.columns() == 2) return of_cell(0, 0);
  if (table.least_expected() >= kLeastExpected)
    return upper_gamma(table.degrees() / 2.0, pearson(table, table.counts) / 2);
  if (table.rows() > 2 && table.total <= kMostDrawn) return random_tables_p(table);
  const int n_rows = table.rows() > 2 ? table.rows() : 1;  // of two, one follows from the other
  double least = 1;
  for (int i = 0; i < n_rows; ++i)
    for (int j = 0; j < table.columns(); ++j) least = std::min(least, of_cell(i, j));
  return std::min(1.0, n_rows * table.columns() * least);
}

// The chi-square statistic that has this p-value.
inline double chi_square_at(double p, int degrees) {
  double low = 0, high = 1e4;
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (upper_gamma(degrees / 2.0, middle / 2) > p ? low : high) = middle;
  }
  return high;
}

// How likely a chi-square process, observed after every one of n rows, exceeds a level anywhere.
// `nu` makes it less than that of a process in continuous time, which exceeds levels between rows.
inline double crossing_p(double level, int degrees, double n) {
  const double d = degrees;
  if (n < 3 || level <= d + 2) return 1.0;
  const double density = std::exp(d / 2 * std::log(level / 2) - level / 2 - std::lgamma(d / 2));
  const auto nu = [](double x) {
    const double cdf = std::erfc(-x / 2 / std::sqrt(2.0)) / 2;
    const double pdf = std::exp(-x * x / 8) / std::sqrt(2 * std::numbers::pi);
    return 2 / x * (cdf - 0.5) / (x / 2 * cdf + pdf);
  };
  // Over the logarithm of the odds of the branches, from half a row on: midpoints, both sides
  // alike.
  constexpr int kSteps = 64;
  const double width = std::log(2 * n - 1) / kSteps;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double odds = std::exp((i + 0.5) * width);
    sum += nu(std::sqrt(level * (1 + odds) * (1 + odds) / (odds * n)));
  }
  return density * 2 * width * sum;
}

// How likely the best of all thresholds has a p-value of at most p.
inline double best_threshold_p(double p, const CountTable& table) {
  constexpr std::int64_t kExactRows = 2000;
  constexpr double kExactLeast = 1e-10;  // below, twice as much decides the same
  const int classes = table.columns();
  const bool each_class = classes == 2 || least(table.column_sum) < 2 * kLeastExpected;
  if (table.rows() > 2 || !each_class || table.total > kExactRows || p < kExactLeast)
    return crossing_p(chi_square_at(p, table.degrees()), table.degrees(),
                      static_cast<double>(table.total));
  if (classes == 2) return Urn(table.column_sum[0], table.total).best_threshold_p(p);
  double sum = 0;
  for (const std::int64_t marked : table.column_sum)
    sum += Urn(marked, table.total).best_threshold_p(p / classes);
  return sum;
}

// How likely the best way to divide k categories in two has this level. It holds a part of the
// statistic of all categories apart, with that many degrees of freedom. If the categories are
// equally frequent, the part is about normal: 2 / pi + 1 / k, with a variance of 0.114 / k. It is
// less if they are not.
inline double best_division_p(double level, double degrees, double k) {
  constexpr int kSteps = 64;
  constexpr double kWidth = 10.0 / kSteps;  // from -5 to 5 standard deviations
  double sum = 0, mass = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = (i + 0.5) * kWidth - 5, weight = std::exp(-z * z / 2);
    const double part = 2 / std::numbers::pi + 1 / k + z * std::sqrt(0.114 / k);
    mass += weight;
    if (part > 0) sum += weight * upper_gamma(degrees / 2, level / std::min(1.0, part) / 2);
  }
  return sum / mass;
}

// Step 2.
inline double column_p(double p, const CountTable& table, const Selection& from, bool extra) {
  const double k = from.n_values, n = static_cast<double>(table.total);
  const auto level = [&] { return chi_square_at(p, table.degrees()); };
  // Of all categories apart, with the branch of missing values if there is one.
  const double degrees = std::max((k - 1 + extra) * (table.columns() - 1), 1.0 * table.degrees());
  switch (from.kind) {
    case NodeKind::Threshold:
      if (k == 2) return p;
      return std::min((k > 0 ? std::min(k, n) - 1 : n - 1) * p, best_threshold_p(p, table));
    case NodeKind::Equals:
      return k > 2 ? k * p : p;
    case NodeKind::Subset:
      return std::min((std::exp2(k - 1) - 1) * p, extra ? upper_gamma(degrees / 2, level() / 2)
                                                        : best_division_p(level(), degrees, k));
    case NodeKind::Grouped:
      return upper_gamma(degrees / 2, level() / 2);
    case NodeKind::Multiway:
    case NodeKind::Leaf:
      return p;
  }
  return p;
}

// The adjusted p-value of a split with these branches x classes (row-major).
inline double adjusted_p(std::span<const double> table, std::size_t n_classes,
                         const Selection& from) {
  const CountTable counted = count_table(table, n_classes);
  const double alone = split_p(counted);
  if (alone <= 0 || alone >= 1) return alone;
  const bool extra = table.size() > 2 * n_classes;
  const double p = std::clamp(column_p(alone, counted, from, extra), alone, 1.0);
  return -std::expm1(std::max(1, from.n_columns) * std::log1p(-p));
}

}  // namespace plaintree
