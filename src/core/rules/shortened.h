// Which rows rules cover, as they are and with each of their clauses left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace plaintree {

// Sets of rows, one after the other: a set is so many words, a row is a bit. Bits behind the last
// row are zero.
struct RowSets {
  const std::uint64_t* words;
  std::size_t n_sets;
  std::size_t n_words;

  const std::uint64_t* operator[](std::size_t set) const { return words + set * n_words; }
};

// Rules as numbers of clauses: those of rule r are clauses[begins[r]] .. clauses[begins[r + 1] -
// 1].
struct ClauseLists {
  std::span<const std::int32_t> clauses;
  std::span<const std::int64_t> begins;
  std::span<const std::int32_t> labels;

  std::size_t size() const { return labels.size(); }
  std::span<const std::int32_t> operator[](std::size_t rule) const {
    return clauses.subspan(begins[rule], begins[rule + 1] - begins[rule]);
  }
};

// For each rule with k clauses, 1 + k numbers: its rows, then those without its first clause,
// without its second and so on. `hits` are those of the rule's class.
struct ShortenedCounts {
  std::vector<std::int64_t> covered, hits;
};

// `satisfying` has a set for every clause, `of_class` one for every class; together the classes are
// all rows.
ShortenedCounts count_shortened(const ClauseLists& rules, const RowSets& satisfying,
                                const RowSets& of_class, std::function<bool()> interrupted = {});

}  // namespace plaintree
