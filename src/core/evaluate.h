// The best test of each column at a node: counting by code, or scanning a sorted list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "categories.h"
#include "cuts.h"
#include "grouping.h"
#include "open_node.h"

namespace plaintree {

// What the evaluation of a node's columns reads.
template <class Count>
struct NodeView {
  const TrainingTable& table;
  const Measure& measure;
  const Rows<Count>& rows;
  const OpenNode<Count>& open;
  const Count* counts;  // of the classes
  Count total;
  const Count* weight_of;  // by row; null: every row counts 1

  const Entry* begin() const { return rows.entries.data() + open.begin; }
  const Entry* end() const { return rows.entries.data() + open.end; }
  Count weight(Entry entry) const { return weight_of ? weight_of[table.row(entry)] : Count(1); }
};

// Scratch of one thread.
template <class Count>
struct EvaluationScratch {
  CutScratch<Count> cuts;
  ValueCounts<Count> values;
  std::vector<Count> known, missing;
  std::vector<std::pair<std::int32_t, Entry>> coded;
};

// Counts the classes of every code of byte columns [first, last) into `counts`, which holds the
// tables of all byte columns one after the other and is zero there.
template <class Count>
void count_bytes(const NodeView<Count>& view, const Entry* begin, const Entry* end, int first,
                 int last, Count* counts) {
  const TrainingTable& table = view.table;
  const int n_classes = table.n_classes, width = table.n_bytes;
  const std::size_t* offsets = table.byte_offsets.data();
  const std::uint8_t* bytes = table.bytes.data();
  constexpr int kAhead = 16;
  for (const Entry* e = begin; e != end; ++e) {
    if (e + kAhead < end)
      __builtin_prefetch(bytes + static_cast<std::size_t>(table.row(e[kAhead])) * width + first);
    const std::uint8_t* row = bytes + static_cast<std::size_t>(table.row(*e)) * width;
    Count* of_class = counts + table.class_of(*e);
    const Count weight = view.weight(*e);
    for (int j = first; j < last; ++j) of_class[offsets[j] + row[j] * n_classes] += weight;
  }
}

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

// Columns of very many categories: the node's rows are sorted by code, so that the work depends
// on the rows and not on the categories.
template <class Count>
void values_of_wide(const NodeView<Count>& view, const Column& column,
                    EvaluationScratch<Count>& scratch) {
  const int n_classes = view.table.n_classes;
  const std::vector<std::int32_t>& codes = view.table.wide[column.position];
  auto& coded = scratch.coded;
  coded.clear();
  for (const Entry* e = view.begin(); e != view.end(); ++e)
    coded.emplace_back(codes[view.table.row(*e)], *e);
  std::sort(coded.begin(), coded.end());
  ValueCounts<Count>& values = scratch.values;
  values.clear(n_classes);
  std::vector<Count>& counts = scratch.known;
  for (std::size_t i = 0; i < coded.size();) {
    const std::int32_t code = coded[i].first;
    counts.assign(n_classes, 0);
    for (; i < coded.size() && coded[i].first == code; ++i)
      counts[view.table.class_of(coded[i].second)] += view.weight(coded[i].second);
    if (code < column.n_codes) {
      values.append(code, counts.data());
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
  if (column.store == Column::Store::Bytes)
    values_of_bytes(column, byte_counts, view.table.n_classes, scratch.values);
  else
    values_of_wide(view, column, scratch);
}

// How many items of a node are known in a sorted column; the missing ones are at the end.
inline std::uint32_t count_known(const Item* items, std::uint32_t n) {
  if (n == 0 || items[n - 1].rank != kMissingRank) return n;
  const auto known = [](const Item& item) { return item.rank != kMissingRank; };
  return static_cast<std::uint32_t>(std::partition_point(items, items + n, known) - items);
}

template <class Count>
Candidate evaluate_sorted(const NodeView<Count>& view, const Column& column,
                          EvaluationScratch<Count>& scratch) {
  const int n_classes = view.table.n_classes;
  const Item* items = view.rows.sorted[column.position].data() + view.open.begin;
  const std::uint32_t n = view.open.size(), n_known = count_known(items, n);
  const ItemRange<Count> range{view.table, column, items, n_known, view.weight_of};
  const Count* known = view.counts;
  Count known_total = view.total, missing_total = 0;
  scratch.missing.assign(n_classes, 0);
  if (n_known < n) {
    for (std::uint32_t i = n_known; i < n; ++i)
      scratch.missing[view.table.class_of(items[i].entry)] += range.weight(items[i].entry);
    scratch.known.assign(view.counts, view.counts + n_classes);
    for (int c = 0; c < n_classes; ++c) {
      scratch.known[c] -= scratch.missing[c];
      missing_total += scratch.missing[c];
    }
    known = scratch.known.data();
    known_total -= missing_total;
  }
  if constexpr (std::is_same_v<Count, std::int32_t>) {
    const bool plain = missing_total == 0 || view.measure.params->missing == Missing::Branch;
    if (plain && fits_fast_gini(view.measure, view.table))
      return scan_items_by_gini(view.measure, range, known, known_total, scratch.missing.data(),
                                missing_total, scratch.cuts);
  }
  return scan_items(view.measure, range, known, known_total, scratch.missing.data(), missing_total,
                    scratch.cuts);
}

template <class Count>
Candidate evaluate_coded(const NodeView<Count>& view, const Column& column,
                         const Count* byte_counts, EvaluationScratch<Count>& scratch) {
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
