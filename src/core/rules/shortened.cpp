// A row that violates one clause of a rule is covered as soon as that clause is left out; one that
// violates two is not. So two sets are enough for all counts: the rows that violate no clause and
// those that violate one.
#include "rules/shortened.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/team.h"

// Counting bits is one instruction on processors from 2013 on: a second version of the function is
// compiled for them, and the right one chosen when the library is loaded.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(PLAINTREE_SANITIZE)
#define PLAINTREE_ALSO_FOR_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define PLAINTREE_ALSO_FOR_AVX2
#endif

namespace plaintree {
namespace {

constexpr std::size_t kWords = 128;  // of a block: those of all clauses of a rule stay in the cache
using Block = std::array<std::uint64_t, kWords>;

// The sets of a rule, each from the first word of a block on.
struct RuleBlock {
  const RowSets& satisfying;
  std::span<const std::int32_t> clauses;
  const std::uint64_t* everything;
  const std::uint64_t* of_class;
  std::size_t begin;
};

// Adds the rows of a block that violate no clause to the first count, and those that violate one
// clause to its count.
PLAINTREE_ALSO_FOR_AVX2
void count_block(const RuleBlock& rule, std::int64_t* covered, std::int64_t* hits) {
  const std::size_t n = std::min(kWords, rule.satisfying.n_words - rule.begin);
  const std::uint64_t* everything = rule.everything + rule.begin;
  const std::uint64_t* of_class = rule.of_class + rule.begin;
  Block once, twice;  // violated at least so often; what is no row is violated for good
  for (std::size_t i = 0; i < n; ++i) once[i] = twice[i] = ~everything[i];
  for (const std::int32_t clause : rule.clauses) {
    const std::uint64_t* satisfied = rule.satisfying[clause] + rule.begin;
    for (std::size_t i = 0; i < n; ++i) {
      twice[i] |= once[i] & ~satisfied[i];
      once[i] |= ~satisfied[i];
    }
  }
  std::array<std::uint16_t, kWords> some;  // words with rows that violate one clause
  std::size_t n_some = 0;
  for (std::size_t i = 0; i < n; ++i) {
    covered[0] += std::popcount(~once[i]);
    hits[0] += std::popcount(~once[i] & of_class[i]);
    once[i] &= ~twice[i];
    some[n_some] = static_cast<std::uint16_t>(i);
    n_some += once[i] != 0;
  }
  for (std::size_t c = 0; c < rule.clauses.size(); ++c) {
    const std::uint64_t* satisfied = rule.satisfying[rule.clauses[c]] + rule.begin;
    std::int64_t all = 0, positive = 0;
    for (std::size_t j = 0; j < n_some; ++j) {
      const std::size_t i = some[j];
      const std::uint64_t gained = once[i] & ~satisfied[i];
      all += std::popcount(gained);
      positive += std::popcount(gained & of_class[i]);
    }
    covered[c + 1] += all;
    hits[c + 1] += positive;
  }
}

// Writes 1 + k counts each, for a rule of k clauses.
void count_rule(RuleBlock rule, std::int64_t* covered, std::int64_t* hits) {
  for (rule.begin = 0; rule.begin < rule.satisfying.n_words; rule.begin += kWords)
    count_block(rule, covered, hits);
  for (std::size_t i = 1; i <= rule.clauses.size(); ++i) {
    covered[i] += covered[0];
    hits[i] += hits[0];
  }
}

}  // namespace

ShortenedCounts count_shortened(const ClauseLists& rules, const RowSets& satisfying,
                                const RowSets& of_class, std::function<bool()> interrupted) {
  Watch watch(std::move(interrupted));
  std::vector<std::uint64_t> everything(of_class.n_words, 0);
  for (std::size_t c = 0; c < of_class.n_sets; ++c)
    for (std::size_t i = 0; i < of_class.n_words; ++i) everything[i] |= of_class[c][i];
  ShortenedCounts counts;
  counts.covered.resize(rules.clauses.size() + rules.size());
  counts.hits.resize(counts.covered.size());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    watch.poll();
    const std::size_t at = static_cast<std::size_t>(rules.begins[r]) + r;
    count_rule({satisfying, rules[r], everything.data(), of_class[rules.labels[r]], 0},
               &counts.covered[at], &counts.hits[at]);
  }
  return counts;
}

}  // namespace plaintree
