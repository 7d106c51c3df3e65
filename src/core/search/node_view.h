// What the evaluation of a node's columns reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "search/candidate.h"
#include "search/cuts.h"
#include "search/gini/buckets.h"
#include "search/open_node.h"

namespace plaintree {

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
};

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

}  // namespace plaintree
