// What a tree is grown with: what all of its subtrees share, which nodes may be split, its root,
// and the parts of it that are grown by themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "grow/empty_branches.h"
#include "grow/given_tree.h"
#include "grow/grown_nodes.h"
#include "search/open_node.h"
#include "stats/criterion.h"
#include "stats/statistics.h"

namespace plaintree {

// What all subtrees of a fit share.
template <Statistics S>
struct Context {
  const TrainingTable& table;
  S statistics;
  const Params& params;
  const MeasureOf<typename S::Sum>& measure;
  bool fractional;                // rows are divided over branches
  const std::int64_t* weight_of;  // by row; null: rows count as often as they are there
  EmptyBranches& empty_branches;
  // By row: how often it was drawn, where rows have weights and are drawn; null: once.
  const std::uint32_t* times_of = nullptr;
  const GivenTree* given = nullptr;  // a tree to grow on from
  double root_weight = 0;            // of all rows of the tree
  std::uint32_t root_rows = 0;       // as often as they were drawn
};

template <Statistics S>
S statistics_of(const TrainingTable& table) {
  if constexpr (SumsOf<typename S::Sum>::kClasses)
    return S(table, table.class_bits > 0 ? nullptr : table.classes.data(), table.n_classes);
  else
    return S(table, table.targets.data());
}
template <Statistics S>
MeasureOf<typename S::Sum> measure_of(const TrainingTable& table, const Params& params,
                                      const XLogX& x_log_x) {
  if constexpr (SumsOf<typename S::Sum>::kClasses)
    return {&params, table.n_classes, table.unit, &x_log_x};
  else
    return {&params, table.unit, table.target_unit};
}

// The stop rules that need nothing but the sums of a node and its number of rows.
template <Statistics S>
bool may_split(const Context<S>& context, const typename S::Sum* sums, std::uint32_t n_rows,
               int depth) {
  const Params& params = context.params;
  const bool deep =
      params.max_depth >= 0 && depth >= params.max_depth;  // given splits may be deeper
  return !context.statistics.is_pure(sums) && !deep && n_rows >= params.min_split_rows &&
         context.measure.weight(context.statistics.weight(sums)) >= params.min_split_weight;
}

// The root: the same, of a node that is stored.
template <Statistics S, class Count = typename S::Sum>
bool may_split_root(const Context<S>& context, const GrownNodes<Count>& nodes) {
  std::vector<Count> sums;
  nodes.sums.read(0, sums);
  return may_split(context, sums.data(), context.root_rows, 0);
}

// A part of the tree that is grown by itself.
template <class Count>
struct Task {
  GrownNodes<Count>* store;
  OpenNode<Count> root;
  std::unique_ptr<Rows<Count>> own_rows;  // null: a range of the shared rows
};

// Makes the root of a tree from its rows; its counts, and what each row counts if rows are divided.
// `path`: the source of its random draws.
template <Statistics S, class Count = typename S::Sum>
OpenNode<Count> make_root(Context<S>& context, Rows<Count>& rows, GrownNodes<Count>& nodes,
                          std::uint64_t path) {
  using Weight = typename S::Weight;
  const TrainingTable& table = context.table;
  std::vector<Count> sums(context.statistics.width(), 0);
  context.root_rows = 0;
  for (const Entry e : rows.entries) {
    const Weight weight = context.weight_of ? static_cast<Weight>(context.weight_of[table.row(e)])
                                            : static_cast<Weight>(table.times(e));
    context.statistics.add(sums.data(), e, weight);
    if (context.fractional) rows.weights.push_back(weight);
    context.root_rows += context.times_of ? context.times_of[table.row(e)] : 1;
  }
  context.root_weight = context.measure.weight(context.statistics.weight(sums.data()));
  OpenNode<Count> root;
  root.path = path;
  root.codes = &table.codes;
  root.end = static_cast<std::uint32_t>(rows.entries.size());
  root.n_rows = context.root_rows;
  root.node = nodes.add(sums, root.end, context.statistics.label(sums.data()));
  root.closed = closed_at_root(context.params, table.columns.size());
  if (!context.params.monotonic.empty()) nodes.bounds.emplace_back();
  // Sorted lists hold entries of their own; targets are read in the order of the rows.
  const bool coded =
      std::any_of(table.columns.begin(), table.columns.end(),
                  [](const Column& column) { return column.store != Column::Store::Sorted; });
  if (!coded && !context.fractional && SumsOf<Count>::kClasses) rows.entries = {};
  return root;
}

}  // namespace plaintree
