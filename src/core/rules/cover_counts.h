// How many rows each rule of a class covers alone, or would add to those that are covered.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rules/subset_search.h"

namespace plaintree {

// The rows of rules, and the rules of rows.
class CoverLists {
 public:
  explicit CoverLists(const ClassRules& rules)
      : is_positive_(rules.n_rows), rules_begin_(rules.n_rows + 1, 0) {
    each_row(rules.positive, rules.covers.n_words,
             [&](std::uint32_t row) { is_positive_[row] = 1; });
    rows_begin_.push_back(0);
    for (std::size_t r = 0; r < rules.n_rules(); ++r) {
      each_row(rules.covers[r], rules.covers.n_words, [&](std::uint32_t row) {
        rows_.push_back(row);
        ++rules_begin_[row + 1];
      });
      rows_begin_.push_back(rows_.size());
    }
    for (std::size_t row = 1; row < rules_begin_.size(); ++row)
      rules_begin_[row] += rules_begin_[row - 1];
    rules_.resize(rows_.size());
    std::vector<std::size_t> next(rules_begin_.begin(), rules_begin_.end() - 1);
    for (std::size_t r = 0; r < rules.n_rules(); ++r)
      for (const std::uint32_t row : rows_of(r))
        rules_[next[row]++] = static_cast<std::uint32_t>(r);
  }

  std::size_t n_rows() const { return is_positive_.size(); }
  bool is_positive(std::uint32_t row) const { return is_positive_[row]; }
  std::span<const std::uint32_t> rows_of(std::size_t rule) const {
    return {rows_.data() + rows_begin_[rule], rows_begin_[rule + 1] - rows_begin_[rule]};
  }
  std::span<const std::uint32_t> rules_of(std::uint32_t row) const {
    return {rules_.data() + rules_begin_[row], rules_begin_[row + 1] - rules_begin_[row]};
  }

 private:
  // Rows are numbered by bytes and by the bits of each, the lowest first, on every machine.
  template <class Visit>
  static void each_row(const std::uint64_t* words, std::size_t n_words, Visit visit) {
    for (std::size_t i = 0; i < n_words; ++i) {
      if (!words[i]) continue;
      std::uint8_t bytes[8];
      std::memcpy(bytes, words + i, 8);
      for (std::size_t b = 0; b < 8; ++b)
        for (unsigned rest = bytes[b]; rest; rest &= rest - 1)
          visit(static_cast<std::uint32_t>(64 * i + 8 * b + std::countr_zero(rest)));
    }
  }

  std::vector<std::uint8_t> is_positive_;
  std::vector<std::uint32_t> rows_, rules_;
  std::vector<std::size_t> rows_begin_, rules_begin_;
};

// A number of rows, and how many of them are of the class.
struct RowCount {
  std::int64_t all = 0, hits = 0;

  void add(std::int64_t n, bool positive) {
    all += n;
    if (positive) hits += n;
  }
};

// For every rule, how many of its rows no chosen rule covers (`free`), and how many just one does
// (`alone`). A rule that is added or dropped changes the counts of the rules that share rows with
// it, and only these rows are looked at.
class CoverCounts {
 public:
  CoverCounts(const CoverLists& lists, std::span<const std::uint8_t> chosen)
      : lists_(lists), free_(chosen.size()), alone_(chosen.size()), n_covering_(lists.n_rows(), 0) {
    for (std::size_t r = 0; r < chosen.size(); ++r)
      if (chosen[r])
        for (const std::uint32_t row : lists.rows_of(r)) ++n_covering_[row];
    for (std::uint32_t row = 0; row < lists.n_rows(); ++row) {
      const bool positive = lists.is_positive(row);
      if (n_covering_[row] > 0) covered_.add(1, positive);
      if (n_covering_[row] == 0) add(free_, row, 1);
      if (n_covering_[row] == 1) add(alone_, row, 1);
    }
  }

  // The rows that the chosen rules cover.
  const RowCount& covered() const { return covered_; }
  const RowCount& free(std::size_t rule) const { return free_[rule]; }
  const RowCount& alone(std::size_t rule) const { return alone_[rule]; }

  void insert(std::size_t rule) {
    for (const std::uint32_t row : lists_.rows_of(rule)) {
      const std::uint32_t before = n_covering_[row]++;
      if (before == 0) {
        covered_.add(1, lists_.is_positive(row));
        add(free_, row, -1);
      }
      if (before < 2) add(alone_, row, before == 0 ? 1 : -1);
    }
  }
  void erase(std::size_t rule) {
    for (const std::uint32_t row : lists_.rows_of(rule)) {
      const std::uint32_t after = --n_covering_[row];
      if (after == 0) {
        covered_.add(-1, lists_.is_positive(row));
        add(free_, row, 1);
      }
      if (after < 2) add(alone_, row, after == 0 ? -1 : 1);
    }
  }

 private:
  void add(std::vector<RowCount>& counts, std::uint32_t row, std::int64_t n) {
    const bool positive = lists_.is_positive(row);
    for (const std::uint32_t rule : lists_.rules_of(row)) counts[rule].add(n, positive);
  }

  const CoverLists& lists_;
  RowCount covered_;
  std::vector<RowCount> free_, alone_;
  std::vector<std::uint32_t> n_covering_;
};

}  // namespace plaintree
