// The general finder: every kind of column, criterion, weight and policy.
//
// A numeric column is scanned as a sorted list or by its count table, a categorical one by its
// count table. A list is there already (sorted columns), or it is made by sorting the rows of the
// node by code: where there are more codes than a count table should have, or many more than rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "search/categories.h"
#include "search/cuts.h"
#include "search/finder.h"
#include "search/group_search.h"
#include "search/scan_items.h"
#include "search/sort_items.h"

namespace plaintree {

template <Statistics S>
void values_of_table(const NodeView<S>& view, const Column& column,
                     ValueCounts<typename S::Sum>& values) {
  const int width = view.statistics.width();
  values.clear(width);
  const typename S::Sum* at = view.table_of(column);
  for (std::int32_t code = 0; code < column.n_codes; ++code, at += width) values.append(code, at);
  if (!column.has_missing) return;
  values.missing.assign(at, at + width);
  values.missing_total = view.statistics.weight(at);
}

// The rows of the node by code, into scratch.items; missing ones (of code n_codes) are the last.
template <Statistics S>
void sort_rows(const NodeView<S>& view, const Column& column,
               SearchScratch<typename S::Sum>& scratch) {
  const TrainingTable& table = view.table;
  const Entry* entries = view.begin();
  view.codes.with_codes(column, view.size(), [&](auto code_of) {
    make_sorted(
        scratch.items, scratch.spare, view.size(), static_cast<std::uint32_t>(column.n_codes),
        [&](std::size_t i) {
          return Item{entries[i], static_cast<std::uint32_t>(code_of(table.row(entries[i])))};
        },
        [](const Item& item) { return item.rank; });
  });
}

template <Statistics S>
void values_of_sorted_rows(const NodeView<S>& view, const Column& column,
                           SearchScratch<typename S::Sum>& scratch) {
  const int width = view.statistics.width();
  sort_rows(view, column, scratch);
  const std::vector<Item>& items = scratch.items;
  auto& values = scratch.values;
  values.clear(width);
  auto& sums = scratch.known;
  for (std::size_t i = 0; i < items.size();) {
    const std::uint32_t code = items[i].rank;
    const bool is_missing = code == static_cast<std::uint32_t>(column.n_codes);
    sums.assign(width, 0);
    std::uint32_t n_rows = 0;
    for (; i < items.size() && items[i].rank == code; ++i) {
      const Entry entry = items[i].entry;
      view.add(sums.data(), entry);
      n_rows += view.rows_in(entry);
      if (is_missing) values.missing_rows[view.group_of(entry)] += view.rows_in(entry);
    }
    if (!is_missing) {
      values.append(static_cast<std::int32_t>(code), sums.data(), n_rows);
    } else {
      values.missing = sums;
      values.missing_total = view.statistics.weight(sums.data());
    }
  }
}

// The sums of a coded column by value, into scratch.values.
template <Statistics S>
void values_of(const NodeView<S>& view, const Column& column,
               SearchScratch<typename S::Sum>& scratch) {
  if (view.sorts_rows(column))
    values_of_sorted_rows(view, column, scratch);
  else
    values_of_table(view, column, scratch.values);
}

// How many items of a node are known; those of the missing rank are at the end.
inline std::uint32_t count_known(const Item* items, std::uint32_t n, std::uint32_t missing_rank) {
  if (n == 0 || items[n - 1].rank != missing_rank) return n;
  const auto known = [&](const Item& item) { return item.rank != missing_rank; };
  return static_cast<std::uint32_t>(std::partition_point(items, items + n, known) - items);
}

// A numeric column of the node in ascending order.
struct SortedList {
  const Item* items;
  std::uint32_t n_known;

  // The codes on both sides of a cut, if there is one, where ranks are codes. Above the last known
  // one there is none.
  void write_codes(const Column& column, Candidate& candidate) const {
    if (candidate.position == 0 || column.store == Column::Store::Sorted) return;
    const std::uint32_t next = std::min(candidate.position, n_known - 1);
    candidate.code = static_cast<std::int32_t>(items[candidate.position - 1].rank);
    candidate.next_code = static_cast<std::int32_t>(items[next].rank);
  }
};

// Sums up the missing rows in scratch.missing meanwhile.
template <Statistics S>
SortedList sorted_list(const NodeView<S>& view, const Column& column,
                       SearchScratch<typename S::Sum>& scratch) {
  const bool is_kept = column.store == Column::Store::Sorted;
  if (!is_kept) sort_rows(view, column, scratch);
  const Item* items = is_kept ? view.list_of(column) : scratch.items.data();
  const std::uint32_t missing_rank =
      is_kept ? kMissingRank : static_cast<std::uint32_t>(column.n_codes);
  const SortedList list{items, count_known(items, view.size(), missing_rank)};
  scratch.missing.assign(view.statistics.width(), 0);
  for (std::uint32_t i = list.n_known; i < view.size(); ++i)
    view.add(scratch.missing.data(), items[i].entry);
  return list;
}

// The numbers of known rows and of missing ones by class, where they are counted.
template <Statistics S>
void count_rows(const NodeView<S>& view, const SortedList& list,
                KnownAndMissing<typename S::Sum>& counts, std::vector<std::uint32_t>& missing) {
  missing.assign(view.statistics.width(), 0);
  for (std::uint32_t i = 0; i < list.n_known; ++i)
    counts.known_rows += view.rows_in(list.items[i].entry);
  for (std::uint32_t i = list.n_known; i < view.size(); ++i) {
    const Entry entry = list.items[i].entry;
    missing[view.group_of(entry)] += view.rows_in(entry);
  }
  counts.missing_rows = missing.data();
}

template <Statistics S>
Candidate scan_list(const NodeView<S>& view, const Column& column, const SortedList& list,
                    SearchScratch<typename S::Sum>& scratch) {
  auto sums = without_missing(view, scratch.missing, scratch.known);
  if (view.measure.params->counts_rows()) count_rows(view, list, sums, scratch.cuts.missing_rows);
  const ItemRange<S> range{view, column, list.items, list.n_known};
  Candidate candidate = scan_items(range, sums, scratch.cuts);
  list.write_codes(column, candidate);
  return candidate;
}

// The best split of a categorical column; missing rows are imputed in `values`, if at all.
template <class Count>
Candidate best_grouping_of(const MeasureOf<Count>& measure, ValueCounts<Count>& values,
                           int n_codes) {
  const Params& params = *measure.params;
  if (params.missing == Missing::MostCommon || params.missing == Missing::MostCommonInClass)
    values.impute(params.missing == Missing::MostCommonInClass);
  if (values.size() == 1) return CategorySearch<Count>(measure, values).against_missing(n_codes);
  // Of two categories there is but one grouping, and it is the many-way split.
  if (params.categorical == Categorical::Grouped && n_codes > 2)
    return GroupSearch<Count>(measure, values, n_codes).best();
  return CategorySearch<Count>(measure, values).best();
}

template <Statistics S>
class GeneralFinder : public Finder<S> {
 public:
  using Sum = typename S::Sum;

  RowRange serves(const Column& /*column*/) const override { return RowRange::all(); }
  bool reads_tables() const override { return true; }
  bool knows_monotonic() const override { return true; }

  void prepare(NodeView<S>& view, std::span<const Search> /*searches*/, Team* /*team*/) override {
    if constexpr (SumsOf<Sum>::kClasses)
      if (view.has_few_classes()) few_classes_.look_at(view);
  }

  void find(NodeView<S>& view, std::span<const Search> searches,
            SearchScratch<Sum>& scratch) override {
    for (const Search& search : searches) {
      *search.best = best(view, *search.column, scratch);
      if (search.best->valid) view.raise_bound(search.best->score.value);
    }
  }

 private:
  Candidate best(const NodeView<S>& view, const Column& column, SearchScratch<Sum>& scratch) const {
    if constexpr (SumsOf<Sum>::kClasses)
      if (view.has_few_classes()) return best_split(few_classes_.of(view), column, scratch);
    return best_split(view, column, scratch);
  }

  template <class View>
  static Candidate best_split(const View& view, const Column& column, SearchScratch<Sum>& scratch) {
    return column.numeric ? best_cut(view, column, scratch) : best_grouping(view, column, scratch);
  }

  template <class View>
  static Candidate best_cut(const View& view, const Column& column, SearchScratch<Sum>& scratch) {
    if (view.sorts_rows(column))
      return scan_list(view, column, sorted_list(view, column, scratch), scratch);
    values_of_table(view, column, scratch.values);
    return scan_codes(view.measure, column, scratch.values, scratch.cuts, view.monotonic(column));
  }

  template <class View>
  static Candidate best_grouping(const View& view, const Column& column,
                                 SearchScratch<Sum>& scratch) {
    values_of(view, column, scratch);
    return best_grouping_of(view.measure, scratch.values, column.n_codes);
  }

  struct Nothing {};
  // Of the node.
  std::conditional_t<SumsOf<Sum>::kClasses, FewClassesView<Sum>, Nothing> few_classes_;
};

}  // namespace plaintree
