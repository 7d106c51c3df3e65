// Step 1: the sums of nodes that do not follow from the counts of their parents.
//
// Of numeric targets also how they spread, which needs the mean: a second request.
#pragma once

#include <cstdint>
#include <vector>

#include "levels/growth.h"
#include "levels/pair_counts.h"
#include "stats/target_spread.h"
#include "tree/prediction.h"

namespace plaintree {

template <Statistics S>
class LevelSums {
 public:
  using Count = typename S::Sum;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  explicit LevelSums(Growth<S>& growth) : g_(growth) {}

  bool prepare(Request& request) {
    asked_.clear();
    for (std::size_t i = 0; i < g_.level.size(); ++i)
      if (g_.level[i].needs_sums || !kClasses) asked_.push_back(i);
    if (asked_.empty()) return false;
    for (const std::size_t i : asked_) request.slots.push_back(g_.level[i].node);
    request.sums = true;
    return true;
  }
  void take(const Reply& reply) {
    const Cells cells = Cells::of_sums(reply);
    for (std::size_t s = 0; s < asked_.size(); ++s) {
      LevelNode& open = g_.level[asked_[s]];
      GrownNode& node = g_.nodes.nodes[open.node];
      Count* sums = g_.nodes.sums_of(open.node);
      if (open.needs_sums) {
        cells.read_sums(s, sums);
        open.rows = cells.rows(s);
        open.times = g_.facts.counts_times() ? cells.times(s) : open.rows;
        node.set_rows(open.rows);
        node.label = label_of_branch(open.rows == 0, node.label, g_.facts.label(sums));
        open.needs_sums = false;
      }
      if (open.node == 0) g_.settle_root(open);
      if (!kClasses) open_target(open, sums, reply.ranges[s]);
    }
    for (const std::int32_t node : g_.unbounded) g_.bound_children(node);
    g_.unbounded.clear();
  }

  bool prepare_spread(Request& request) {
    if (spreads_.empty()) return false;
    for (const auto& [node, parts] : spreads_) {
      request.slots.push_back(node);
      request.spreads.push_back({parts.centre, parts.rest, parts.mean, parts.bound, parts.total});
    }
    return true;
  }
  void take_spread(const Reply& reply) {
    if constexpr (!kClasses) {
      for (std::size_t s = 0; s < spreads_.size(); ++s) {
        TargetSpread spread = spreads_[s].parts.of(g_.measure);
        spread.sum().add(reply.spreads[s].whole, reply.spreads[s].parts);
        g_.nodes.targets[spreads_[s].node].impurity =
            spread.sum().value() / spreads_[s].parts.total;
      }
    }
    spreads_.clear();
  }

 private:
  // What the targets of a node have in common, from their sums and range; how they spread, later.
  void open_target(const LevelNode& open, const Count* sums, const TargetRange& range) {
    if constexpr (!kClasses) {
      if (g_.nodes.targets.size() <= static_cast<std::size_t>(open.node))
        g_.nodes.targets.resize(static_cast<std::size_t>(open.node) + 1);
      if (open.rows < 2 && open.node != 0) return;  // such nodes are not opened
      TargetFacts facts{g_.measure.mean(sums), 0, true};
      if (range.least < range.most) {
        facts.range = range.most - range.least;
        spreads_.push_back({open.node, SpreadParts(g_.measure, sums, range.least, range.most)});
      }
      g_.nodes.targets[open.node] = facts;
    }
  }

  struct NodeSpread {
    std::int32_t node;
    SpreadParts parts;
  };

  Growth<S>& g_;
  std::vector<std::size_t> asked_;  // positions in the level
  std::vector<NodeSpread> spreads_;
};

}  // namespace plaintree
