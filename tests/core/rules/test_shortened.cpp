// The counts of shortened rules, against counting rows one by one.
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "rules/shortened.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

// Random rows of two classes, and which of them satisfy each of some clauses.
struct RandomRows {
  std::size_t n_rows, n_words;
  std::vector<std::uint64_t> satisfying, of_class;

  RandomRows(std::size_t rows, std::size_t n_clauses, unsigned seed)
      : n_rows(rows), n_words((rows + 63) / 64) {
    std::mt19937_64 random(seed);
    satisfying.resize(n_clauses * n_words);
    of_class.resize(2 * n_words);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < n_clauses; ++c)
        if (random() % 4) put(satisfying, c, row);
      put(of_class, random() % 2, row);
    }
  }
  void put(std::vector<std::uint64_t>& sets, std::size_t set, std::size_t row) const {
    sets[set * n_words + row / 64] |= std::uint64_t(1) << row % 64;
  }
  bool holds(const std::vector<std::uint64_t>& sets, std::size_t set, std::size_t row) const {
    return sets[set * n_words + row / 64] >> row % 64 & 1;
  }
  RowSets sets(const std::vector<std::uint64_t>& words) const {
    return {words.data(), words.size() / n_words, n_words};
  }
};

}  // namespace

TEST(shortened_rules_cover_what_their_other_clauses_allow) {
  const std::vector<std::int32_t> clauses{0, 2, 3, 1, 4, 1, 0};
  const std::vector<std::int64_t> begins{0, 4, 4, 7};  // the second rule has no clauses
  const std::vector<std::int32_t> labels{1, 0, 0};
  for (const std::size_t n_rows : {1, 63, 64, 65, 9000}) {
    const RandomRows rows(n_rows, 5, static_cast<unsigned>(n_rows));
    const ClauseLists rules{clauses, begins, labels};
    const ShortenedCounts counts =
        count_shortened(rules, rows.sets(rows.satisfying), rows.sets(rows.of_class));
    CHECK(counts.covered.size() == clauses.size() + labels.size());
    for (std::size_t r = 0, at = 0; r < rules.size(); ++r) {
      for (std::size_t without = 0; without <= rules[r].size(); ++without, ++at) {
        std::int64_t covered = 0, hits = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
          bool fits = true;
          for (std::size_t c = 0; c < rules[r].size(); ++c)
            if (c + 1 != without) fits = fits && rows.holds(rows.satisfying, rules[r][c], row);
          covered += fits;
          hits += fits && rows.holds(rows.of_class, labels[r], row);
        }
        CHECK(counts.covered[at] == covered);
        CHECK(counts.hits[at] == hits);
      }
    }
  }
}
