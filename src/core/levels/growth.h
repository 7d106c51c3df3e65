// A tree that is growing level by level: what its steps share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/team.h"
#include "grow/empty_branches.h"
#include "levels/level_facts.h"
#include "levels/level_nodes.h"
#include "search/closed_columns.h"

namespace plaintree {

template <Statistics S>
struct Growth {
  using Count = typename S::Sum;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  Growth(ByteSpan table, const Params& given, const LevelOptions& its_options)
      : options(its_options),
        facts(TableFacts(table), given, its_options),
        params(facts.params),
        x_log_x(0),
        measure(facts.template measure<S>(x_log_x)),
        width(measure.n_classes) {
    nodes.width = width;
  }

  void make_root() {
    const std::vector<Count> none(static_cast<std::size_t>(width), 0);
    nodes.add(none.data(), 0, 0);
    if (!params.monotonic.empty()) nodes.bounds.emplace_back();
    LevelNode root;
    root.path = facts.path_of_root();
    root.closed = closed_at_root(params, facts.columns().size());
    for (const ColumnFacts& column : facts.columns()) {
      root.first_code.push_back(0);
      root.last_code.push_back(std::max(column.n_codes, 1u) - 1);
    }
    root.needs_sums = !facts.knows_root();
    if (!root.needs_sums) sum_up_root(root);
    level.push_back(std::move(root));
  }

  void sum_up_root(LevelNode& root) {
    if constexpr (kClasses) {
      const std::vector<std::uint64_t>& rows = facts.facts().rows_of_class;
      std::copy(rows.begin(), rows.end(), nodes.sums.begin());
      root.rows = root.times = facts.facts().n_rows;
      settle_root(root);
    }
  }
  void settle_root(const LevelNode& root) {
    const Count* sums = nodes.sums_of(0);
    nodes.nodes[0].set_rows(root.rows);
    nodes.nodes[0].label = facts.label(sums);
    root_weight = measure.weight(facts.weight(sums));
    facts.set_many_valued(root_weight);
  }

  bool may_be_split(const LevelNode& open) {
    const Count* sums = nodes.sums_of(open.node);
    const bool enough = open.depth != params.max_depth && open.rows > 1 &&
                        open.times >= params.min_split_rows &&
                        measure.weight(facts.weight(sums)) >= params.min_split_weight;
    if constexpr (kClasses)
      return enough && !facts.is_pure(sums);
    else
      return enough && nodes.targets[open.node].impurity > 0;
  }
  double scale_of(const LevelNode& open) const {
    if constexpr (kClasses)
      return 1.0;
    else
      return nodes.targets[open.node].impurity;
  }
  MeasureOf<Count> measure_of_node(const LevelNode& open) {
    if constexpr (kClasses)
      return measure;
    else
      return measure.of_node(nodes.sums_of(open.node), nodes.targets[open.node].impurity,
                             nodes.targets[open.node].range);
  }
  // What the children of a split on a monotonic column may predict, once their sums are known.
  void bound_children(std::int32_t node) {
    const auto first = static_cast<std::int32_t>(nodes.nodes[node].first_child);
    const int sign = params.monotonic[nodes.nodes[node].attribute];
    const auto value = [&](std::int32_t child) {
      const Count* sums = nodes.sums_of(child);
      return value_of(sums, facts.weight(sums));
    };
    const Middle middle{value(first), value(first + 1)};
    const Bounds own = nodes.bounds[node];
    nodes.bounds[first + (sign < 0)] = own.below(middle);
    nodes.bounds[first + (sign > 0)] = own.above(middle);
  }

  const LevelOptions options;
  LevelFacts facts;
  const Params& params;
  const XLogX x_log_x;
  const MeasureOf<Count> measure;
  const int width;  // integers of a group
  LevelNodes<Count> nodes;
  // Nodes that may be split: of this level, of the next one, and those whose rows are finished in
  // memory.
  std::vector<LevelNode> level, next_level, set_aside;
  int level_number = 0;
  double root_weight = 0;
  std::vector<std::int32_t> unbounded;  // nodes whose children are not bounded yet
  EmptyBranches empty_branches;
  Team* team = nullptr;  // while a reply is taken
};

}  // namespace plaintree
