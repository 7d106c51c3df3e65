// Step 5: the best column of a node is chosen, and its split becomes part of the plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "levels/columns_of_node.h"
#include "levels/growth.h"
#include "levels/slot.h"
#include "search/choice.h"
#include "stats/chi_square.h"
#include "stats/selection.h"
#include "tree/prediction.h"

namespace plaintree {

template <Statistics S>
class Splitting {
 public:
  using Count = typename S::Sum;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  Splitting(Growth<S>& growth, ColumnsOfNode& columns) : g_(growth), columns_of_(columns) {}

  // Splits the node of a slot; false: its columns offer nothing, and others may be drawn.
  bool split(const Slot<Count>& slot) {
    LevelNode& open = g_.level[slot.at];
    std::vector<Candidate> candidates;
    for (const Offer<Count>& offer : slot.offers) candidates.push_back(offer.candidate);
    const Count* sums = g_.nodes.sums_of(open.node);
    const double fraction = g_.measure.weight(g_.facts.weight(sums)) / g_.root_weight;
    const Choice choice =
        choose(candidates, slot.columns, g_.facts.table, g_.params, fraction, g_.scale_of(open));
    if (choice.position < 0) {
      ++open.rounds;
      return columns_of_(open).empty();
    }
    const int column = slot.columns[choice.position];
    const Offer<Count>& offer = slot.offers[choice.position];
    if (!is_significant(slot, column, offer)) return true;
    write_split(open, choice, column, candidates[choice.position]);
    make_children(open, column, offer);
    return true;
  }

 private:
  bool is_significant(const Slot<Count>& slot, int column, const Offer<Count>& offer) const {
    if (g_.params.significance >= 1 || !kClasses) return true;
    std::vector<double> table;
    for (const Count sum : offer.branches.sums) table.push_back(g_.measure.weight(sum));
    const Selection from{offer.candidate.kind, g_.facts.table.columns[column].n_codes,
                         static_cast<int>(slot.columns.size())};
    const double p = g_.params.adjusted_significance
                         ? adjusted_p(table, static_cast<std::size_t>(g_.width), from)
                         : chi_square_p(table, static_cast<std::size_t>(g_.width));
    return p <= g_.params.significance;
  }

  void write_split(const LevelNode& open, const Choice& choice, int column,
                   const Candidate& candidate) {
    GrownNode& node = g_.nodes.nodes[open.node];
    node.kind = candidate.kind;
    node.attribute = column;
    node.n_tied = choice.n_tied;
    node.score =
        std::fabs(candidate.score.value) < 1e-12 ? 0.0 : candidate.score.value * g_.scale_of(open);
    if (candidate.kind == NodeKind::Threshold) {
      node.threshold = candidate.threshold;
      return;
    }
    if (candidate.kind == NodeKind::Multiway) return;
    node.levels = static_cast<std::int32_t>(g_.nodes.levels.size());
    g_.nodes.levels.push_back(candidate.kind == NodeKind::Equals
                                  ? std::vector<std::int32_t>{candidate.code}
                                  : candidate.subset);
  }

  void make_children(const LevelNode& open, int column, const Offer<Count>& offer) {
    const Branches<Count>& branches = offer.branches;
    const std::uint32_t n = branches.n_children();
    const auto first = static_cast<std::int32_t>(g_.nodes.nodes.size());
    const std::int32_t label = g_.nodes.nodes[open.node].label;
    {
      GrownNode& parent = g_.nodes.nodes[open.node];
      parent.first_child = static_cast<std::uint32_t>(first);
      parent.n_children = n;
      parent.missing_child = branches.missing_child;
    }
    BlockSplit split;
    split.node = open.node;
    split.column = column;
    split.first_child = first;
    split.n_branches = static_cast<std::int32_t>(branches.n_branches);
    split.low_code = offer.low_code;
    split.high_code = offer.high_code;
    split.threshold = offer.candidate.threshold;
    split.branches = branches.of_category;
    split.missing = branches.missing;
    split.shares = branches.shares;
    g_.nodes.plan.push_back(std::move(split));
    const auto n_empty = static_cast<std::size_t>(
        std::count(branches.rows.begin(), branches.rows.end(), std::uint64_t(0)));
    g_.empty_branches.add(n_empty, column);
    const Closed closed = closed_below(open.closed, g_.params, g_.facts.columns().size(), column,
                                       offer.candidate.kind == NodeKind::Multiway);
    for (std::uint32_t b = 0; b < n; ++b) {
      const Count* sums = branches.sums_of(b, g_.width);
      const bool empty = branches.rows[b] == 0;
      const std::int32_t node =
          g_.nodes.add(sums, branches.rows[b], label_of_branch(empty, label, g_.facts.label(sums)));
      if (empty) continue;
      LevelNode child;
      child.node = node;
      child.depth = open.depth + 1;
      child.path = mix(open.path, b);
      child.rows = branches.rows[b];
      child.times = g_.facts.counts_times() ? branches.times[b] : child.rows;
      child.needs_sums = branches.divides();
      child.closed = closed;
      if (!child.needs_sums && !may_ever_be_split(child)) continue;
      child.first_code = open.first_code;
      child.last_code = open.last_code;
      narrow(child, column, b, offer);
      g_.next_level.push_back(std::move(child));
    }
    if (g_.nodes.bounds.empty()) return;
    g_.nodes.bounds.resize(g_.nodes.nodes.size(), g_.nodes.bounds[open.node]);
    if (g_.params.monotonic[column] == 0) return;
    if (branches.divides())
      g_.unbounded.push_back(open.node);
    else
      g_.bound_children(open.node);
  }
  bool may_ever_be_split(const LevelNode& child) {
    if (!kClasses) return child.rows > 1;
    return g_.may_be_split(child);
  }
  // Missing rows that take the most common value are on both sides, but have no code.
  void narrow(LevelNode& child, int column, std::uint32_t branch, const Offer<Count>& offer) const {
    if (offer.candidate.kind != NodeKind::Threshold) return;
    if (branch == 0) child.last_code[column] = std::min(child.last_code[column], offer.low_code);
    if (branch == 1) child.first_code[column] = std::max(child.first_code[column], offer.high_code);
    if (child.first_code[column] > child.last_code[column])
      child.last_code[column] = child.first_code[column];
  }

  Growth<S>& g_;
  ColumnsOfNode& columns_of_;
};

}  // namespace plaintree
