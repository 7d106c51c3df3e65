// The sums of a column's values at a node: the AVC set of RainForest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stats/sums.h"

namespace plaintree {

// The weight of a group of rows, and their number where rows are counted apart from weights.
template <class Count>
struct GroupSize {
  Count weight = 0;
  std::uint32_t rows = 0;

  GroupSize& operator+=(const GroupSize& other) {
    weight += other.weight;
    rows += other.rows;
    return *this;
  }
  GroupSize operator-(const GroupSize& other) const {
    return {weight - other.weight, rows - other.rows};
  }
};

// Class counts by value, of the codes that are present.
template <class Count>
struct ValueCounts {
  int n_classes = 0;
  std::vector<std::int32_t> codes;  // ascending
  std::vector<Count> counts;        // codes x classes
  std::vector<Count> totals;        // of the codes
  std::vector<std::uint32_t> rows;  // of the codes, where they are counted
  std::vector<Count> known;         // classes
  Count known_total = 0;
  std::uint32_t known_rows = 0;
  std::vector<Count> missing;  // classes
  Count missing_total = 0;
  std::vector<std::uint32_t> missing_rows;  // classes, where they are counted

  std::size_t size() const { return codes.size(); }
  Count* row(std::size_t i) { return counts.data() + i * n_classes; }
  const Count* row(std::size_t i) const { return counts.data() + i * n_classes; }
  GroupSize<Count> size_of(std::size_t i) const { return {totals[i], rows[i]}; }
  GroupSize<Count> known_size() const { return {known_total, known_rows}; }

  void clear(int classes) {
    n_classes = classes;
    codes.clear();
    counts.clear();
    totals.clear();
    rows.clear();
    known.assign(classes, 0);
    missing.assign(classes, 0);
    missing_rows.assign(classes, 0);
    known_total = missing_total = 0;
    known_rows = 0;
  }
  void append(std::int32_t code, const Count* row_counts, std::uint32_t n_rows = 0) {
    const Count total = SumsOf<Count>::weight(row_counts, n_classes);
    if (total == 0) return;
    codes.push_back(code);
    counts.insert(counts.end(), row_counts, row_counts + n_classes);
    totals.push_back(total);
    rows.push_back(n_rows);
    for (int c = 0; c < n_classes; ++c) known[c] += row_counts[c];
    known_total += total;
    known_rows += n_rows;
  }
  // The code of largest weight, of all rows or of one class; the lowest on ties. -1: none.
  std::int32_t most_common(int of_class = -1) const {
    std::int32_t best = -1;
    Count most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Count weight = of_class < 0 ? totals[i] : row(i)[of_class];
      if (weight > most) {
        most = weight;
        best = static_cast<std::int32_t>(i);
      }
    }
    return best;  // a position in codes
  }
  // Missing rows take the most common value, of the node or of their class.
  void impute(bool in_class) {
    if (missing_total == 0 || size() == 0) return;
    const std::int32_t common = most_common();
    if constexpr (!SumsOf<Count>::kClasses) {
      for (int c = 0; c < n_classes; ++c) {
        row(common)[c] += missing[c];
        known[c] += missing[c];
      }
      totals[common] += missing_total;
      rows[common] += missing_rows[0];
      known_rows += missing_rows[0];
      return settle_missing();
    }
    for (int c = 0; c < n_classes; ++c) {
      if (missing[c] == 0) continue;
      const std::int32_t own = in_class ? most_common(c) : -1;
      const std::size_t i = static_cast<std::size_t>(own >= 0 ? own : common);
      imputed_.push_back({i, c});
    }
    for (const auto& [i, c] : imputed_) {
      row(i)[c] += missing[c];
      totals[i] += missing[c];
      rows[i] += missing_rows[c];
      known[c] += missing[c];
      known_rows += missing_rows[c];
    }
    imputed_.clear();
    settle_missing();
  }

 private:
  void settle_missing() {
    known_total += missing_total;
    missing.assign(n_classes, 0);
    missing_rows.assign(n_classes, 0);
    missing_total = 0;
  }
  std::vector<std::pair<std::size_t, int>> imputed_;
};

}  // namespace plaintree
