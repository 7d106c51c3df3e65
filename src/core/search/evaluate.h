// The best test of each column at a node: counting by code, or scanning a sorted list.
//
// A list is there already (sorted columns), or it is made by sorting the node's rows by code: where
// there are more codes than a count table should have, or many more than the node has rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/categories.h"
#include "search/cuts.h"
#include "search/gini/codes.h"
#include "search/gini/scan.h"
#include "search/group_search.h"
#include "search/node_view.h"
#include "search/sort_items.h"

namespace plaintree {

template <class Count>
void values_of_bytes(const Column& column, const Count* byte_counts, int n_classes,
                     ValueCounts<Count>& values) {
  values.clear(n_classes);
  const Count* at = byte_counts + column.offset * n_classes;
  for (std::int32_t code = 0; code < column.n_codes; ++code, at += n_classes)
    values.append(code, at);
  if (!column.has_missing) return;
  for (int c = 0; c < n_classes; ++c) {
    values.missing[c] = at[c];
    values.missing_total += at[c];
  }
}

// The node's rows by code, into scratch.items; missing ones (of code n_codes) are the last.
template <class Count>
void sort_rows(const NodeView<Count>& view, const Column& column,
               EvaluationScratch<Count>& scratch) {
  const TrainingTable& table = view.table;
  const Entry* entries = view.begin();
  view.codes().with_codes(column, view.open.size(), [&](auto code_of) {
    make_sorted(
        scratch.items, scratch.spare, view.open.size(), static_cast<std::uint32_t>(column.n_codes),
        [&](std::size_t i) {
          return Item{entries[i], static_cast<std::uint32_t>(code_of(table.row(entries[i])))};
        },
        [](const Item& item) { return item.rank; });
  });
}

template <class Count>
void values_of_sorted_rows(const NodeView<Count>& view, const Column& column,
                           EvaluationScratch<Count>& scratch) {
  const int n_classes = view.table.n_classes;
  sort_rows(view, column, scratch);
  const std::vector<Item>& items = scratch.items;
  ValueCounts<Count>& values = scratch.values;
  values.clear(n_classes);
  std::vector<Count>& counts = scratch.known;
  for (std::size_t i = 0; i < items.size();) {
    const std::uint32_t code = items[i].rank;
    counts.assign(n_classes, 0);
    for (; i < items.size() && items[i].rank == code; ++i)
      counts[view.table.class_of(items[i].entry)] += view.weight(items[i].entry);
    if (code < static_cast<std::uint32_t>(column.n_codes)) {
      values.append(static_cast<std::int32_t>(code), counts.data());
    } else {
      values.missing = counts;
      for (const Count w : counts) values.missing_total += w;
    }
  }
}

// The class counts of a coded column by value, for the node.
template <class Count>
void values_of(const NodeView<Count>& view, const Column& column, const Count* byte_counts,
               EvaluationScratch<Count>& scratch) {
  if (view.sorts_rows(column))
    values_of_sorted_rows(view, column, scratch);
  else
    values_of_bytes(column, byte_counts, view.table.n_classes, scratch.values);
}

// How many items of a node are known; those of the missing rank are at the end.
inline std::uint32_t count_known(const Item* items, std::uint32_t n, std::uint32_t missing_rank) {
  if (n == 0 || items[n - 1].rank != missing_rank) return n;
  const auto known = [&](const Item& item) { return item.rank != missing_rank; };
  return static_cast<std::uint32_t>(std::partition_point(items, items + n, known) - items);
}

template <class Count>
Candidate evaluate_items(const NodeView<Count>& view, const Column& column, const Item* items,
                         std::uint32_t missing_rank, EvaluationScratch<Count>& scratch) {
  const std::uint32_t n = view.open.size(), n_known = count_known(items, n, missing_rank);
  scratch.missing.assign(view.table.n_classes, 0);
  for (std::uint32_t i = n_known; i < n; ++i)
    scratch.missing[view.table.class_of(items[i].entry)] += view.weight(items[i].entry);
  const KnownAndMissing<Count> counts = without_missing(view, scratch);
  if constexpr (std::is_same_v<Count, std::int32_t>) {
    const bool plain = n_known == n || view.measure.params->missing == Missing::Branch;
    if (plain && fits_gini_scan(view.measure, view.table))
      return scan_by_gini(view.measure, view.table, SortedItems{items, tag_mask(view.table)},
                          n_known, counts, scratch.cuts);
  }
  const ItemRange<Count> range{view.table, column, items, n_known, view.weight_of};
  return scan_items(view.measure, range, counts, scratch.cuts);
}

template <class Count>
Candidate evaluate_sorted(const NodeView<Count>& view, const Column& column,
                          EvaluationScratch<Count>& scratch) {
  const Item* items = view.rows.sorted[column.position].data() + view.open.begin;
  return evaluate_items(view, column, items, kMissingRank, scratch);
}

template <class Count>
Candidate evaluate_coded(const NodeView<Count>& view, const Column& column,
                         const Count* byte_counts, const Buckets* buckets,
                         EvaluationScratch<Count>& scratch) {
  if (column.numeric && view.sorts_rows(column)) {
    if constexpr (std::is_same_v<Count, std::int32_t>)
      if (fits_keys(view, column))
        return buckets ? evaluate_buckets(view, column, *buckets, scratch)
                       : evaluate_keys(view, column, scratch);
    sort_rows(view, column, scratch);
    const Item* items = scratch.items.data();
    Candidate candidate = evaluate_items(view, column, items, column.n_codes, scratch);
    if (candidate.valid) {
      candidate.code = static_cast<std::int32_t>(items[candidate.position - 1].rank);
      candidate.next_code = static_cast<std::int32_t>(items[candidate.position].rank);
    }
    return candidate;
  }
  if constexpr (std::is_same_v<Count, std::int32_t>)
    if (column.numeric && !column.has_missing && fits_gini_scan(view.measure, view.table))
      return evaluate_counts(view, column, byte_counts + column.offset * view.table.n_classes,
                             scratch);
  values_of(view, column, byte_counts, scratch);
  if (column.numeric) return scan_codes(view.measure, column, scratch.values, scratch.cuts);
  const Missing policy = view.measure.params->missing;
  if (policy == Missing::MostCommon || policy == Missing::MostCommonInClass)
    scratch.values.impute(policy == Missing::MostCommonInClass);
  // Of two categories there is but one grouping, and it is the many-way test.
  if (view.measure.params->categorical == Categorical::Grouped && column.n_codes > 2)
    return GroupSearch<Count>(view.measure, scratch.values, column.n_codes).best();
  return CategorySearch<Count>(view.measure, scratch.values).best();
}

}  // namespace plaintree
