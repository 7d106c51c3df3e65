// Growing what is below a node in memory, from its rows.
//
// The rows are a part of a table: units, minimum weights and the weight of the root are the whole
// table's. So the subtree is the one that the whole table in memory would have given.
#pragma once

#include <memory>
#include <vector>

#include "grow/empty_branches.h"
#include "grow/growing.h"
#include "grow/subtree_grower.h"
#include "levels/level_facts.h"
#include "levels/level_nodes.h"

namespace plaintree {

// Gathered rows, found by node.
class RowsByNode {
 public:
  RowsByNode(const GatheredRows& rows, const std::vector<std::int32_t>& nodes)
      : rows_(rows), order_(nodes.size()) {
    std::int32_t last = 0;
    for (const std::int32_t node : nodes) last = std::max(last, node);
    std::vector<std::int32_t> position(static_cast<std::size_t>(last) + 1, -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      position[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
    for (std::size_t r = 0; r < rows.size(); ++r)
      order_[static_cast<std::size_t>(position[static_cast<std::size_t>(rows.nodes[r])])].push_back(
          static_cast<std::uint32_t>(r));
  }
  GatheredRows of(std::size_t i) const {
    const std::vector<std::uint32_t>& own = order_[i];
    GatheredRows result;
    result.nodes = taken(rows_.nodes, own);
    result.classes = taken(rows_.classes, own);
    result.targets = taken(rows_.targets, own);
    result.weights = taken(rows_.weights, own);
    result.times = taken(rows_.times, own);
    for (const auto& column : rows_.floats) result.floats.push_back(taken(column, own));
    for (const auto& column : rows_.doubles) result.doubles.push_back(taken(column, own));
    for (const auto& column : rows_.codes) result.codes.push_back(taken(column, own));
    return result;
  }

 private:
  template <class T>
  static std::vector<T> taken(const std::vector<T>& from, const std::vector<std::uint32_t>& rows) {
    std::vector<T> result;
    if (from.empty()) return result;
    result.reserve(rows.size());
    for (const std::uint32_t row : rows) result.push_back(from[row]);
    return result;
  }

  const GatheredRows& rows_;
  std::vector<std::vector<std::uint32_t>> order_;  // by position of the node
};

// The same nodes, whose counts have more bits.
inline std::unique_ptr<GrownNodes<std::int64_t>> widened(GrownNodes<std::int32_t>&& nodes) {
  auto result = std::make_unique<GrownNodes<std::int64_t>>();
  std::vector<std::int32_t> sums;
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) {
    result->nodes.push_back(nodes.nodes[i]);
    nodes.sums.read(i, sums);
    result->sums.add(std::vector<std::int64_t>(sums.begin(), sums.end()));
  }
  result->bounds = std::move(nodes.bounds);
  result->levels = std::move(nodes.levels);
  return result;
}

template <Statistics S>
class RowGrower {
 public:
  using Count = typename S::Sum;

  RowGrower(const LevelFacts& facts, double root_weight)
      : facts_(facts), root_weight_(root_weight) {}

  std::unique_ptr<GrownNodes<Count>> grow(const GatheredRows& rows, const LevelNode& node,
                                          const Bounds* bounds, EmptyBranches& empty_branches,
                                          Watch& watch) const {
    std::vector<ColumnView> views;
    for (std::size_t j = 0; j < facts_.columns().size(); ++j) views.push_back(view_of(rows, j));
    Examples examples{views, rows.classes, facts_.facts().n_classes, {}, rows.targets};
    GivenFacts given;
    given.in_units = facts_.rules().in_units || facts_.rules().sampling != 0;
    given.weights = rows.weights;
    given.unit_bits = facts_.rules().in_units ? facts_.rules().unit_bits : 0;
    given.target_bits = facts_.rules().target_bits;
    for (const Column& column : facts_.table.columns)
      given.many_valued.push_back(column.many_valued);
    Team alone(1, watch);
    const TrainingTable table = make_training_table(examples, facts_.params, 0, alone, &given);
    const std::uint32_t* times =
        facts_.counts_times() && !rows.times.empty() ? rows.times.data() : nullptr;
    if constexpr (SumsOf<Count>::kClasses)
      if (!given.in_units)
        return widened(
            std::move(*grow_by<RowCounts>(table, node, bounds, times, empty_branches, watch)));
    return grow_by<S>(table, node, bounds, times, empty_branches, watch);
  }

 private:
  ColumnView view_of(const GatheredRows& rows, std::size_t j) const {
    ColumnView view;
    const ColumnFacts& column = facts_.columns()[j];
    const auto hold = [&](const auto& values, ColumnView::Type type) {
      view.data = reinterpret_cast<const std::byte*>(values.data());
      view.stride = sizeof(values[0]);
      view.type = type;
    };
    if (!column.numeric) {
      hold(rows.codes[j], ColumnView::Type::Codes);
      view.n_categories = static_cast<int>(column.n_codes);
    } else if (column.single) {
      hold(rows.floats[j], ColumnView::Type::Float32);
    } else {
      hold(rows.doubles[j], ColumnView::Type::Float64);
    }
    return view;
  }

  template <Statistics R>
  std::unique_ptr<GrownNodes<typename R::Sum>> grow_by(const TrainingTable& table,
                                                       const LevelNode& node, const Bounds* bounds,
                                                       const std::uint32_t* times,
                                                       EmptyBranches& empty_branches,
                                                       Watch& watch) const {
    using Sum = typename R::Sum;
    const Params& params = facts_.params;
    const XLogX x_log_x(needs_logarithms(params.criterion) && table.weights.empty() ? table.n_rows
                                                                                    : 0);
    const auto measure = measure_of<R>(table, params, x_log_x);
    const bool fractional = table.has_gaps() && params.missing == Missing::Fractional;
    const std::int64_t* weights = table.weights.empty() ? nullptr : table.weights.data();
    Context<R> context{table,   statistics_of<R>(table), params, measure, fractional,
                       weights, empty_branches};
    context.times_of = times;
    auto nodes = std::make_unique<GrownNodes<Sum>>();
    Rows<Sum> rows;
    rows.entries = table.entries;
    rows.sorted = table.sorted;
    OpenNode<Sum> root = make_root(context, rows, *nodes, node.path);
    context.root_weight = root_weight_;
    root.depth = node.depth;
    root.closed = node.closed;
    if (bounds) nodes->bounds[0] = *bounds;
    SubtreeGrower<R> grower(context, watch, nullptr, false);
    grower.grow(rows, *nodes, std::move(root));
    return nodes;
  }

  const LevelFacts& facts_;
  const double root_weight_;
};

}  // namespace plaintree
