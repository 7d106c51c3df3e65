// What a tree is grown with: what all of its subtrees share, which nodes may be split, its root,
// and the parts of it that are grown by themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "grow/grown_nodes.h"
#include "search/evaluate.h"
#include "search/open_node.h"

namespace plaintree {

// What all subtrees of a fit share.
struct Context {
  const TrainingTable& table;
  const Params& params;
  const Measure& measure;
  bool fractional;                // rows are divided over branches
  const std::int64_t* weight_of;  // by row; null: rows count as often as they are there
};

// The stop rules that need nothing but a node's class counts.
template <class Count>
bool may_split(const Measure& measure, const Count* counts, int depth) {
  Count total = 0, most = 0;
  for (int c = 0; c < measure.n_classes; ++c) {
    total += counts[c];
    most = std::max(most, counts[c]);
  }
  const Params& params = *measure.params;
  return most < total && measure.weight(total) >= params.min_samples_split &&
         depth != params.max_depth;
}

template <class Count>
struct ThreadScratch {
  EvaluationScratch<Count> evaluation;
  std::vector<Item> items;
  std::vector<Entry> entries;
  std::vector<Count> weights;
};

// A part of the tree that is grown by itself.
template <class Count>
struct Task {
  GrownNodes<Count>* store;
  OpenNode<Count> root;
  std::unique_ptr<Rows<Count>> own_rows;  // null: a range of the shared rows
};

// Makes the root of a tree from its rows; its counts, and what each row counts if rows are divided.
template <class Count>
OpenNode<Count> make_root(const Context& context, Rows<Count>& rows, GrownNodes<Count>& nodes) {
  const TrainingTable& table = context.table;
  std::vector<Count> counts(table.n_classes, 0);
  for (const Entry e : rows.entries) {
    const Count weight = context.weight_of ? static_cast<Count>(context.weight_of[table.row(e)])
                                           : static_cast<Count>(table.times(e));
    counts[table.class_of(e)] += weight;
    if (context.fractional) rows.weights.push_back(weight);
  }
  OpenNode<Count> root;
  root.codes = &table.codes;
  root.end = static_cast<std::uint32_t>(rows.entries.size());
  const int label = heaviest_class(context.measure, counts.data());
  root.node = nodes.add(counts.data(), table.n_classes, root.end, label);
  // Sorted lists hold entries of their own.
  const bool coded =
      std::any_of(table.columns.begin(), table.columns.end(),
                  [](const Column& column) { return column.store != Column::Store::Sorted; });
  if (!coded && !context.fractional) rows.entries = {};
  return root;
}

}  // namespace plaintree
