// Exact tests of one class against the others: of one split, and of all thresholds of a column.
//
// Both hold the number of rows and of rows of the class fixed, and let every order of the rows be
// equally likely: drawing without replacement.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace plaintree {

// `total` rows, of which `marked` are of the class.
class Urn {
 public:
  Urn(std::int64_t marked, std::int64_t total) : marked_(marked), total_(total) {}

  // Fisher's exact test, two-sided: of `side` rows drawn, `seen` are of the class. The tail from
  // the observed count on, and the other tail from the first count that is no more likely.
  double fisher(std::int64_t seen, std::int64_t side) const {
    const std::int64_t low = std::max<std::int64_t>(0, side + marked_ - total_);
    const std::int64_t high = std::min(side, marked_);
    const auto likeliest = static_cast<std::int64_t>((static_cast<double>(side) + 1) *
                                                     (static_cast<double>(marked_) + 1) /
                                                     (static_cast<double>(total_) + 2));
    const std::int64_t mode = std::clamp(likeliest, low, high);
    const double limit = log_p(seen, side) + kRounding;
    if (log_p(mode, side) <= limit) return 1.0;
    const int own = seen < mode ? -1 : 1;
    // The other side of the mode: log_p is monotone there.
    std::int64_t inner = mode, outer = own < 0 ? high + 1 : low - 1;
    while (std::llabs(outer - inner) > 1) {
      const std::int64_t middle = inner + (outer - inner) / 2;
      (log_p(middle, side) <= limit ? outer : inner) = middle;
    }
    return std::min(1.0, tail(seen, side, own) + tail(outer, side, -own));
  }

  // How likely some threshold has a Fisher p-value of at most p, if there is one after every row.
  // Rows in order are a path that goes up at rows of the class. The weight of paths that leave the
  // counts with larger p-values is summed where they leave them.
  double best_threshold_p(double p) {
    tabulate();
    p *= 1 + kRounding;
    std::vector<double> weight(marked_ + 2, 0.0);
    weight[0] = 1;
    double left = 0;
    Likely likely;
    for (std::int64_t side = 1; side < total_; ++side) {
      const double remaining = static_cast<double>(total_ - side + 1);
      for (std::int64_t seen = likely.last; seen >= likely.first; --seen) {
        const double up = weight[seen] * static_cast<double>(marked_ - seen) / remaining;
        weight[seen + 1] += up;
        weight[seen] -= up;
      }
      const Likely before = likely;
      next(likely, side, p);
      for (std::int64_t seen = before.first; seen <= before.last + 1; ++seen) {
        if (seen >= likely.first && seen <= likely.last) continue;
        left += weight[seen];
        weight[seen] = 0;
      }
    }
    return left;
  }

 private:
  static constexpr double kRounding = 1e-9;  // equally likely counts differ by less

  // Counts of the class with a Fisher p-value above some p, and the probability of the others.
  struct Likely {
    std::int64_t first = 0, last = 0;
    double below = 0, above = 0;
  };

  // The same when a row more is drawn, which makes `side` rows. Counts go in the order of their
  // probability, equal ones together, as long as those outside have at most p.
  void next(Likely& now, std::int64_t side, double p) const {
    const double remaining = static_cast<double>(total_ - side + 1);
    const auto rises = [&](std::int64_t seen) {
      return probability(seen, side - 1) * static_cast<double>(marked_ - seen) / remaining;
    };
    now.above += rises(now.last);
    now.below = std::max(0.0, now.below - rises(now.first - 1));
    now.first = std::max(now.first, side + marked_ - total_);
    const auto at = [&](std::int64_t seen) { return probability(seen, side); };
    for (;;) {  // back in
      const double low = at(now.first - 1), high = at(now.last + 1), larger = std::max(low, high);
      const double inside = std::min(at(now.first), at(now.last));
      const bool fits = now.below + now.above <= p && larger * (1 + kRounding) < inside;
      if (fits || larger == 0) break;
      if (low * (1 + kRounding) >= larger) --now.first, now.below = std::max(0.0, now.below - low);
      if (high * (1 + kRounding) >= larger) ++now.last, now.above = std::max(0.0, now.above - high);
    }
    // Nothing outside is exactly nothing: a rounding error of large probabilities may exceed p.
    if (at(now.first - 1) == 0) now.below = 0;
    if (at(now.last + 1) == 0) now.above = 0;
    while (now.first < now.last) {  // out
      const double low = at(now.first), high = at(now.last), smaller = std::min(low, high);
      const bool lower = low <= smaller * (1 + kRounding),
                 upper = high <= smaller * (1 + kRounding);
      if (now.below + now.above + lower * low + upper * high > p) break;
      if (lower) ++now.first, now.below += low;
      if (upper) --now.last, now.above += high;
    }
  }

  double probability(std::int64_t seen, std::int64_t side) const {
    if (seen < 0 || seen > marked_ || seen > side || side - seen > total_ - marked_) return 0.0;
    return std::exp(log_p(seen, side));
  }

  double log_factorial(std::int64_t k) const {
    return table_.empty() ? std::lgamma(static_cast<double>(k) + 1) : table_[k];
  }
  void tabulate() {
    std::vector<double> table;
    for (std::int64_t k = 0; k <= total_; ++k) table.push_back(log_factorial(k));
    table_ = std::move(table);
  }

  double log_p(std::int64_t seen, std::int64_t side) const {
    const auto choose = [&](std::int64_t n, std::int64_t k) {
      return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    };
    return choose(marked_, seen) + choose(total_ - marked_, side - seen) - choose(total_, side);
  }

  // The probability of a count and of those beyond it; terms that no longer count end the sum.
  double tail(std::int64_t seen, std::int64_t side, int step) const {
    const std::int64_t low = std::max<std::int64_t>(0, side + marked_ - total_);
    const std::int64_t high = std::min(side, marked_);
    if (seen < low || seen > high) return 0.0;
    double term = std::exp(log_p(seen, side)), sum = term;
    for (auto x = static_cast<double>(seen); term > sum * 1e-17; x += step) {
      const double m = static_cast<double>(marked_), s = static_cast<double>(side);
      const double rest = static_cast<double>(total_) - m - s;
      term *= step > 0 ? (m - x) * (s - x) / ((x + 1) * (rest + x + 1))
                       : x * (rest + x) / ((m - x + 1) * (s - x + 1));
      sum += term;
    }
    return sum;
  }

  std::int64_t marked_, total_;
  std::vector<double> table_;  // of log_factorial, for all rows
};

}  // namespace plaintree
