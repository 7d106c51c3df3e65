// The best test of each column at a node: counting by code, or scanning a sorted list.
//
// A list is there already (sorted columns), or it is made by sorting the node's rows by code: where
// there are more codes than a count table should have, or many more than the node has rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bit_counts.h"
#include "categories.h"
#include "cuts.h"
#include "gini_buckets.h"
#include "gini_scan.h"
#include "grouping.h"
#include "open_node.h"
#include "sort_items.h"

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
  const Count* weight_of;     // by row; null: every row counts as often as it is there
  double impurity;            // the node's information by weight
  double worth = -kInfinity;  // tests that gain less are of no interest, where gains are scores

  const RowCodes& codes() const { return *open.codes; }
  const Entry* begin() const { return rows.entries.data() + open.begin; }
  const Entry* end() const { return rows.entries.data() + open.end; }
  Count weight(Entry entry) const {
    return weight_of ? weight_of[table.row(entry)] : static_cast<Count>(table.times(entry));
  }
  // Calls use(row, class, weight) for each of these entries.
  template <class Use>
  void for_each(const Entry* begin, const Entry* end, Use use) const {
    if (weight_of || table.class_bits == 0) {
      for (; begin != end; ++begin) use(table.row(*begin), table.class_of(*begin), weight(*begin));
    } else {
      const EntryBits bits = table;
      for (; begin != end; ++begin)
        use(bits.row(*begin), bits.class_of(*begin), static_cast<Count>(bits.times(*begin)));
    }
  }
  // Is a coded column's list made here, rather than its count table?
  bool sorts_rows(const Column& column) const {
    if (column.store != Column::Store::Bytes) return true;
    return measure.params->columns_per_node > 0 && open.size() < column.n_codes / 4u;
  }
};

// Scratch of one thread.
template <class Count>
struct EvaluationScratch {
  CutScratch<Count> cuts;
  ValueCounts<Count> values;
  std::vector<Count> known, missing;
  std::vector<Item> items, spare;
  std::vector<std::uint32_t> keys, spare_keys;
  BucketScratch buckets;
  BitCounts<Count> bits;
};

// Counts the classes of every code of byte columns [first, last) into `counts`, which holds the
// tables of all byte columns one after the other and is zero there.
template <class Count>
void count_bytes(const NodeView<Count>& view, const Entry* begin, const Entry* end, int first,
                 int last, Count* counts) {
  const TrainingTable& table = view.table;
  const int n_classes = table.n_classes, width = static_cast<int>(view.codes().n_bytes);
  const std::size_t* offsets = table.byte_offsets.data();
  const std::uint8_t* bytes = view.codes().bytes.data();
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

// The same of a few byte columns; their tables are not zero yet.
template <class Count>
void count_byte_columns(const NodeView<Count>& view, std::span<const Column* const> columns,
                        Count* counts) {
  const TrainingTable& table = view.table;
  const int n_classes = table.n_classes;
  for (const Column* column : columns)
    std::fill_n(counts + column->offset * n_classes,
                (static_cast<std::size_t>(column->n_codes) + 1) * n_classes, Count(0));
  const RowCodes& codes = view.codes();
  for (const Entry* e = view.begin(); e != view.end(); ++e) {
    const std::uint8_t* own = codes.bytes.data() + table.row(*e) * codes.n_bytes;
    const int of_class = table.class_of(*e);
    const Count weight = view.weight(*e);
    for (const Column* column : columns)
      counts[(column->offset + own[column->position]) * n_classes + of_class] += weight;
  }
}

// The same of columns that have a bit in every row.
template <class Count>
void count_bit_columns(const NodeView<Count>& view, std::span<const Column* const> columns,
                       Count* counts, BitCounts<Count>& bits) {
  const int n_classes = view.table.n_classes;
  const std::uint64_t* words = view.codes().bits.data();
  bits.choose(columns, n_classes);
  bits.count([&](auto add) {
    view.for_each(view.begin(), view.end(), [=](std::uint32_t row, int of_class, Count weight) {
      add(words[row], of_class, weight);
    });
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Count *zeros = counts + columns[i]->offset * n_classes, *ones = zeros + n_classes;
    for (int c = 0; c < n_classes; ++c) {
      ones[c] = bits.ones(i, c);
      zeros[c] = view.counts[c] - ones[c];
    }
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

// A node's class counts without those of the missing rows, which are in scratch.missing.
template <class Count>
KnownAndMissing<Count> without_missing(const NodeView<Count>& view,
                                       EvaluationScratch<Count>& scratch) {
  const int n_classes = view.table.n_classes;
  Count missing_total = 0;
  for (const Count w : scratch.missing) missing_total += w;
  if (missing_total == 0) return {view.counts, view.total, scratch.missing.data(), 0};
  scratch.known.assign(view.counts, view.counts + n_classes);
  for (int c = 0; c < n_classes; ++c) scratch.known[c] -= scratch.missing[c];
  return {scratch.known.data(), view.total - missing_total, scratch.missing.data(), missing_total};
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

// Numeric codes as sorted keys (see gini_scan.h): half the bytes of items.
inline bool fits_keys(const NodeView<std::int32_t>& view, const Column& column) {
  const Missing policy = view.measure.params->missing;
  const bool plain = !column.has_missing || policy == Missing::Branch;
  const int bits = view.table.class_bits + view.table.repeat_bits;
  return plain && fits_gini_scan(view.measure, view.table) &&
         std::bit_width(static_cast<unsigned>(column.n_codes)) + bits <= 32;
}

// A test of sorted keys, by the codes on both sides of its cut.
inline Candidate with_codes_of_cut(Candidate candidate, const std::vector<std::uint32_t>& keys,
                                   int tag_bits) {
  if (candidate.valid) {
    candidate.code = static_cast<std::int32_t>(keys[candidate.position - 1] >> tag_bits);
    candidate.next_code = static_cast<std::int32_t>(keys[candidate.position] >> tag_bits);
  }
  return candidate;
}

// May a node be cut at all, as far as its weight goes? (See CutSearch::possible.)
inline bool may_be_cut(const NodeView<std::int32_t>& view) {
  const Params& params = *view.measure.params;
  return params.every_branch || view.measure.weight(view.total) >= 2 * params.min_samples_branch;
}

// A cut's test, where nothing is missing; scored as CutSearch does.
inline Candidate candidate_of_cut(const NodeView<std::int32_t>& view, double information) {
  Candidate candidate;
  candidate.valid = true;
  candidate.kind = NodeKind::Threshold;
  candidate.score.gain = view.impurity - information / view.measure.weight(view.total);
  candidate.score.value = candidate.score.gain;
  return candidate;
}
inline GiniCut cut_after(const NodeView<std::int32_t>& view, const std::int32_t* low) {
  std::int64_t low_total = 0, low_squares = 0, high_squares = 0;
  for (int c = 0; c < view.table.n_classes; ++c) {
    const std::int64_t l = low[c], r = view.counts[c] - l;
    low_total += l;
    low_squares += l * l;
    high_squares += r * r;
  }
  return {1, static_cast<double>(low_total), static_cast<double>(view.total - low_total),
          static_cast<double>(low_squares), static_cast<double>(high_squares)};
}

// The best cut of a numeric byte column from its count table, by Gini, nothing missing.
inline Candidate evaluate_counts(const NodeView<std::int32_t>& view, const Column& column,
                                 const std::int32_t* cells,
                                 EvaluationScratch<std::int32_t>& scratch) {
  if (!may_be_cut(view)) return {};
  const int n_classes = view.table.n_classes;
  const auto least = static_cast<std::int32_t>(std::min(least_rows(view.measure), 1u << 30));
  std::vector<std::int32_t>& low = scratch.cuts.low;
  low.assign(n_classes, 0);
  std::int32_t low_total = 0, best_code = -1, next_code = -1;
  double best = kInfinity;
  bool waiting = false;  // the cut after best_code awaits the next code that is there
  for (std::int32_t code = 0; code < column.n_codes; ++code, cells += n_classes) {
    std::int32_t total = 0;
    for (int c = 0; c < n_classes; ++c) total += cells[c];
    if (total == 0) continue;
    if (waiting) next_code = code;
    waiting = false;
    for (int c = 0; c < n_classes; ++c) low[c] += cells[c];
    low_total += total;
    if (low_total < least) continue;
    if (view.total - low_total < least) break;
    const double information = cut_after(view, low.data()).information();
    if (view.impurity - information / view.measure.weight(view.total) >
        view.impurity - best / view.measure.weight(view.total)) {
      best = information;
      best_code = code;
      waiting = true;
    }
  }
  if (best_code < 0) return {};
  Candidate candidate = candidate_of_cut(view, best);
  candidate.code = best_code;
  candidate.next_code = next_code;
  return candidate;
}

// The best cut of keys, unsorted if they are many and of two classes; nothing is missing.
inline Candidate cut_keys(const NodeView<std::int32_t>& view, int tag_bits, bool by_buckets,
                          EvaluationScratch<std::int32_t>& scratch) {
  if (!may_be_cut(view)) return {};
  const TrainingTable& table = view.table;
  const std::uint32_t mask = tag_mask(table), least = least_rows(view.measure);
  GiniCut cut;
  if (by_buckets) {
    GiniScanOfTwo scan(view.counts, least, mask);
    scan.expect_gain(view.worth);
    BucketSearch(scratch.keys, tag_bits, scan, scratch.buckets).run();
    cut = scan.best();
  } else {
    scratch.cuts.classes.resize(table.n_classes);
    const SortedKeys sorted{scratch.keys.data(), mask};
    cut = best_gini_cut(table, sorted, view.open.size(), view.counts, least, view.worth,
                        scratch.cuts.classes.data());
  }
  if (cut.position == 0) return {};
  Candidate candidate = candidate_of_cut(view, cut.information());
  candidate.position = cut.position;
  return with_codes_of_cut(std::move(candidate), scratch.keys, tag_bits);
}

inline Candidate evaluate_keys(const NodeView<std::int32_t>& view, const Column& column,
                               EvaluationScratch<std::int32_t>& scratch) {
  const TrainingTable& table = view.table;
  const int tag_bits = table.class_bits + table.repeat_bits;
  const std::uint32_t mask = tag_mask(table), n = view.open.size();
  const auto missing_code = static_cast<std::uint32_t>(column.n_codes);
  const bool by_buckets = table.n_classes == 2 && !column.has_missing && n >= kManyKeys;
  const Entry* entries = view.begin();
  view.codes().with_codes(column, view.open.size(), [&](auto code_of) {
    const auto key_of = [=](std::size_t i) {
      const auto code = static_cast<std::uint32_t>(code_of(entries[i] >> tag_bits));
      return code << tag_bits | (entries[i] & mask);
    };
    if (by_buckets) {
      scratch.keys.resize(n);
      std::uint32_t* keys = scratch.keys.data();
      for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(i);
    } else {
      make_sorted_keys(scratch.keys, scratch.spare_keys, n, missing_code, tag_bits, key_of);
    }
  });
  if (!column.has_missing) return cut_keys(view, tag_bits, by_buckets, scratch);
  scratch.missing.assign(table.n_classes, 0);
  const std::uint32_t* keys = scratch.keys.data();
  std::uint32_t n_known = n;
  while (n_known > 0 && keys[n_known - 1] >> tag_bits == missing_code) {
    const std::uint32_t tag = keys[--n_known] & mask;
    scratch.missing[table.class_of(tag)] += table.times(tag);
  }
  const KnownAndMissing<std::int32_t> counts = without_missing(view, scratch);
  return with_codes_of_cut(
      scan_by_gini(view.measure, table, SortedKeys{keys, mask}, n_known, counts, scratch.cuts),
      scratch.keys, tag_bits);
}

template <class Count>
Candidate evaluate_sorted(const NodeView<Count>& view, const Column& column,
                          EvaluationScratch<Count>& scratch) {
  const Item* items = view.rows.sorted[column.position].data() + view.open.begin;
  return evaluate_items(view, column, items, kMissingRank, scratch);
}

template <class Count>
Candidate evaluate_coded(const NodeView<Count>& view, const Column& column,
                         const Count* byte_counts, EvaluationScratch<Count>& scratch) {
  if (column.numeric && view.sorts_rows(column)) {
    if constexpr (std::is_same_v<Count, std::int32_t>)
      if (fits_keys(view, column)) return evaluate_keys(view, column, scratch);
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
