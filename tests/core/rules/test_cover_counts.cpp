// The counts that the search for a subset of rules keeps, against counting all rows each time.
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.h"
#include "rules/cover_counts.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

using Flags = std::vector<std::uint8_t>;

// Rows numbered by bytes and bits, as CoverLists reads them.
void put(std::uint64_t* words, std::size_t row) {
  std::uint8_t byte;
  std::memcpy(&byte, reinterpret_cast<std::uint8_t*>(words) + row / 8, 1);
  byte |= static_cast<std::uint8_t>(1u << row % 8);
  std::memcpy(reinterpret_cast<std::uint8_t*>(words) + row / 8, &byte, 1);
}

// Of the rows that so many chosen rules cover, those of a rule.
RowCount counted(const std::vector<Flags>& covers, const Flags& positive, const Flags& chosen,
                 std::size_t rule, int number) {
  RowCount count;
  for (std::size_t row = 0; row < positive.size(); ++row) {
    int n = 0;
    for (std::size_t r = 0; r < covers.size(); ++r) n += chosen[r] && covers[r][row];
    if (n == number && covers[rule][row]) count.add(1, positive[row]);
  }
  return count;
}

bool same(const RowCount& a, const RowCount& b) { return a.all == b.all && a.hits == b.hits; }

}  // namespace

TEST(counts_stay_those_of_all_rows) {
  std::mt19937 random(1);
  const std::size_t n_rules = 7, n_rows = 150, n_words = 3;
  std::vector<std::uint64_t> words(n_rules * n_words, 0), positive_words(n_words, 0);
  std::vector<Flags> covers(n_rules, Flags(n_rows));
  Flags positive(n_rows), chosen(n_rules);
  for (std::size_t row = 0; row < n_rows; ++row) {
    if ((positive[row] = random() % 2)) put(positive_words.data(), row);
    for (std::size_t r = 0; r < n_rules; ++r)
      if ((covers[r][row] = random() % 3 == 0)) put(&words[r * n_words], row);
  }
  for (auto& flag : chosen) flag = random() % 2;
  const std::vector<double> bits(n_rules, 1.0);
  const ClassRules rules{{words.data(), n_rules, n_words}, positive_words.data(), n_rows, bits};
  const CoverLists lists(rules);
  CoverCounts counts(lists, chosen);
  for (int step = 0; step < 40; ++step) {
    RowCount covered;
    for (std::size_t row = 0; row < n_rows; ++row) {
      bool any = false;
      for (std::size_t r = 0; r < n_rules; ++r) any = any || (chosen[r] && covers[r][row]);
      if (any) covered.add(1, positive[row]);
    }
    CHECK(same(counts.covered(), covered));
    for (std::size_t r = 0; r < n_rules; ++r) {
      CHECK(same(counts.free(r), counted(covers, positive, chosen, r, 0)));
      CHECK(same(counts.alone(r), counted(covers, positive, chosen, r, 1)));
    }
    const std::size_t changed = random() % n_rules;
    chosen[changed] ? counts.erase(changed) : counts.insert(changed);
    chosen[changed] = !chosen[changed];
  }
}
