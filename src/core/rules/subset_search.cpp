#include "rules/subset_search.h"

#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/team.h"
#include "rules/cover_counts.h"
#include "rules/description.h"

namespace plaintree {
namespace {

// The length of a subset's description.
class Description {
 public:
  explicit Description(const ClassRules& rules)
      : exceptions_(rules.n_rows), log2_factorials_(rules.n_rules() + 1, 0.0) {
    for (std::size_t i = 0; i < rules.covers.n_words; ++i)
      n_positive_ += std::popcount(rules.positive[i]);
    for (std::size_t i = 1; i < log2_factorials_.size(); ++i)
      log2_factorials_[i] = log2_factorials_[i - 1] + std::log2(static_cast<double>(i));
  }
  // Half the bits of the rules, less what their order could tell, and those of the exceptions.
  double bits(std::int64_t n_chosen, double chosen_bits, const RowCount& covered) const {
    return 0.5 * (chosen_bits - log2_factorials_[n_chosen]) +
           exceptions_(covered.all, covered.all - covered.hits, n_positive_ - covered.hits);
  }

 private:
  ExceptionBits exceptions_;
  std::vector<double> log2_factorials_;
  std::int64_t n_positive_ = 0;
};

// How many rules are chosen, and their bits: added up again, so that rounding never adds up.
std::pair<std::int64_t, double> total(std::span<const std::uint8_t> chosen,
                                      std::span<const double> rule_bits) {
  std::pair<std::int64_t, double> sums{0, 0.0};
  for (std::size_t r = 0; r < chosen.size(); ++r) {
    if (!chosen[r]) continue;
    ++sums.first;
    sums.second += rule_bits[r];
  }
  return sums;
}

class Climber {
 public:
  Climber(const ClassRules& rules, Watch& watch)
      : rules_(rules), watch_(watch), lists_(rules), description_(rules) {}

  Subset climb(std::span<const std::uint8_t> start) const {
    std::vector<std::uint8_t> chosen(start.begin(), start.end());
    CoverCounts counts(lists_, chosen);
    auto [n_chosen, chosen_bits] = total(chosen, rules_.rule_bits);
    double known = description_.bits(n_chosen, chosen_bits, counts.covered());
    while (true) {
      watch_.poll();
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t r = 0; r < chosen.size(); ++r) {
        const int sign = chosen[r] ? -1 : 1;
        const RowCount& change = chosen[r] ? counts.alone(r) : counts.free(r);
        const RowCount covered{counts.covered().all + sign * change.all,
                               counts.covered().hits + sign * change.hits};
        const double bits =
            description_.bits(n_chosen + sign, chosen_bits + sign * rules_.rule_bits[r], covered);
        if (bits < least) {
          best = r;
          least = bits;
        }
      }
      if (!(least < known)) return {std::move(chosen), known};
      known = least;
      chosen[best] ? counts.erase(best) : counts.insert(best);
      chosen[best] = !chosen[best];
      std::tie(n_chosen, chosen_bits) = total(chosen, rules_.rule_bits);
    }
  }

 private:
  const ClassRules& rules_;
  Watch& watch_;
  CoverLists lists_;
  Description description_;
};

}  // namespace

Subset best_of_all(const ClassRules& rules) {
  const std::size_t n = rules.n_rules(), n_subsets = std::size_t(1) << n;
  std::vector<RowCount> covered(n_subsets);
  std::vector<std::uint64_t> united(n_subsets, 0);  // a word of the rows of each subset
  for (std::size_t i = 0; i < rules.covers.n_words; ++i) {
    for (std::size_t s = 1; s < n_subsets; ++s) {
      united[s] = united[s & (s - 1)] | rules.covers[std::countr_zero(s)][i];
      covered[s].all += std::popcount(united[s]);
      covered[s].hits += std::popcount(united[s] & rules.positive[i]);
    }
  }
  const Description description(rules);
  Subset best{{}, std::numeric_limits<double>::infinity()};
  for (std::size_t s = 0; s < n_subsets; ++s) {
    std::vector<std::uint8_t> chosen(n);
    for (std::size_t r = 0; r < n; ++r) chosen[r] = s >> r & 1;
    const auto [n_chosen, chosen_bits] = total(chosen, rules.rule_bits);
    const double bits = description.bits(n_chosen, chosen_bits, covered[s]);
    if (bits < best.bits) best = {std::move(chosen), bits};
  }
  return best;
}

Subset best_climb(const ClassRules& rules, std::span<const std::uint8_t> starts,
                  std::function<bool()> interrupted) {
  Watch watch(std::move(interrupted));
  const Climber climber(rules, watch);
  const std::size_t n = rules.n_rules();
  Subset best{std::vector<std::uint8_t>(n, 0), std::numeric_limits<double>::infinity()};
  for (std::size_t begin = 0; begin < starts.size(); begin += n) {
    Subset end = climber.climb(starts.subspan(begin, n));
    if (end.bits < best.bits) best = std::move(end);
  }
  return best;
}

}  // namespace plaintree
