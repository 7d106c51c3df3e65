// A node as the search for its best split sees it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/cuts.h"
#include "search/open_node.h"
#include "stats/statistics.h"

namespace plaintree {

template <Statistics S>
struct NodeView {
  using Sum = typename S::Sum;
  using Weight = typename S::Weight;

  const TrainingTable& table;
  const S& statistics;
  const MeasureOf<Sum>& measure;
  const Rows<Sum>& rows;
  std::uint32_t first, n_rows;  // the node's range of every array in `rows`
  const RowCodes& codes;        // where the rows of its entries are
  const Sum* sums;              // of all its rows
  Sum total;                    // their weight
  const Weight* weight_of;      // by row; null: every row counts as often as it is there
  double impurity;              // information over weight
  // By row: how often it was drawn, where rows have weights; null: once.
  const std::uint32_t* times_of = nullptr;
  // Of the byte columns: sums by code, where they are counted (see count/byte_counts.h).
  const Sum* tables = nullptr;
  // Splits that gain less are of no interest, where gains are scores.
  double bound = -kInfinity;

  std::uint32_t size() const { return n_rows; }
  const Entry* begin() const { return rows.entries.data() + first; }
  const Entry* end() const { return begin() + n_rows; }
  const Item* list_of(const Column& column) const {
    return rows.sorted[column.position].data() + first;
  }
  const Sum* table_of(const Column& column) const {
    return tables + column.offset * statistics.width();
  }
  Weight weight(Entry entry) const {
    return weight_of ? weight_of[table.row(entry)] : static_cast<Weight>(table.times(entry));
  }
  void add(Sum* group, Entry entry) const { statistics.add(group, entry, weight(entry)); }
  bool has_times() const { return sizeof(Sum) >= sizeof(std::int64_t) && times_of; }
  // How many rows an entry stands for. Without weights this is its weight, and not used.
  std::uint32_t rows_in(Entry entry) const {
    if constexpr (sizeof(Sum) < sizeof(std::int64_t)) return 0;
    return times_of ? times_of[table.row(entry)] : 1;
  }
  // What missing rows are counted by: their class, or all together.
  int group_of(Entry entry) const {
    if constexpr (SumsOf<Sum>::kClasses)
      return statistics.class_of(entry);
    else
      return 0;
  }
  // Calls use(entry, weight) for each of these entries.
  template <class Use>
  void for_each(const Entry* from, const Entry* to, Use use) const {
    if (weight_of) {
      for (; from != to; ++from) use(*from, weight(*from));
    } else {
      const EntryBits bits = table;
      for (; from != to; ++from) use(*from, static_cast<Weight>(bits.times(*from)));
    }
  }
  // Whether a coded column's rows are sorted here, rather than counted by code.
  bool sorts_rows(const Column& column) const {
    return n_rows < rows_to_count(table, column, *measure.params);
  }
  // Whether the node has few of many classes at most: tables by class would hold little but zeros.
  bool has_few_classes() const { return n_rows < rows_of_few_classes(table); }
  // Later columns need not report splits that neither beat nor tie with one that is found already.
  void raise_bound(double gain) {
    if (!measure.params->feature_costs.empty()) return;  // scores of columns are comparable later
    constexpr double kRounding = 1e-9;
    const Criterion criterion = measure.params->criterion;
    if (criterion == Criterion::Gini || criterion == Criterion::SquaredError)
      bound = std::max(bound, gain - measure.params->tie_tolerance - kRounding);
  }

  // From so many rows on a coded column has a count table. Tables hold weights: where rows are
  // counted as well, there are none.
  static std::uint32_t rows_to_count(const TrainingTable& table, const Column& column,
                                     const Params& params) {
    if (column.store != Column::Store::Bytes || params.counts_rows()) return 0xFFFFFFFFu;
    const std::uint32_t few = params.columns_per_node > 0 ? column.n_codes / 4u : 0u;
    return std::max(few, rows_of_few_classes(table));
  }
  // Nodes of fewer rows have few of the classes; 0: there are few classes anyway.
  static std::uint32_t rows_of_few_classes(const TrainingTable& table) {
    constexpr int kManyClasses = 64;
    return table.n_classes < kManyClasses ? 0u : static_cast<std::uint32_t>(table.n_classes) / 4;
  }
};

// The view of a node that has few of the classes, and what is made for it.
template <class Count>
class FewClassesView {
 public:
  using View = NodeView<FewClassCounts<Count>>;

  void look_at(const NodeView<ClassCounts<Count>>& view) {
    sums_.clear();
    numbers_.assign(view.statistics.width(), 0);
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      if (view.sums[c] == 0) continue;
      numbers_[c] = static_cast<std::int32_t>(sums_.size());
      sums_.push_back(view.sums[c]);
    }
    for (std::size_t c = 0; c < numbers_.size(); ++c)
      if (view.sums[c] == 0) numbers_[c] = static_cast<std::int32_t>(sums_.size());
    sums_.push_back(0);
    statistics_.emplace(view.statistics, numbers_.data(), static_cast<int>(sums_.size()));
    measure_.emplace(view.measure.of_classes(sums_.size()));
  }

  View of(const NodeView<ClassCounts<Count>>& view) const {
    View result{view.table, *statistics_, *measure_,  view.rows,      view.first,   view.n_rows,
                view.codes, sums_.data(), view.total, view.weight_of, view.impurity};
    result.bound = view.bound;
    result.times_of = view.times_of;
    return result;
  }

 private:
  std::vector<std::int32_t> numbers_;
  std::vector<Count> sums_;
  std::optional<FewClassCounts<Count>> statistics_;
  std::optional<Measure> measure_;
};

// Class counts of a column's known rows at a node; those of its missing rows are in `missing`.
template <Statistics S>
KnownAndMissing<typename S::Sum> without_missing(const NodeView<S>& view,
                                                 const std::vector<typename S::Sum>& missing,
                                                 std::vector<typename S::Sum>& known) {
  using Sum = typename S::Sum;
  const Sum missing_total = view.statistics.weight(missing.data());
  if (missing_total == 0) return {view.sums, view.total, missing.data(), 0};
  known.assign(view.sums, view.sums + view.statistics.width());
  for (std::size_t c = 0; c < known.size(); ++c) known[c] -= missing[c];
  return {known.data(), view.total - missing_total, missing.data(), missing_total};
}

}  // namespace plaintree
