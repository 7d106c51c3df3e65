// From the growing state to the finished tree: collapsing, numbering level by level, arrays.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/large_pages.h"
#include "grow/grown_nodes.h"
#include "stats/criterion.h"
#include "stats/statistics.h"
#include "tree/packed_tree.h"

namespace plaintree {

inline constexpr std::size_t kAhead = 16;  // nodes are fetched so long before they are read

template <class Count>
struct NodeReference {
  GrownNodes<Count>* store;
  std::uint32_t index;

  GrownNode& node() const { return store->nodes[index]; }
  typename NodeSums<Count>::Parts counts() const { return store->sums.parts(index); }
  // Nodes of one row are not opened, and those without rows have no targets.
  TargetFacts facts(const TargetMeasure& measure) const {
    if (index < store->targets.size() && store->targets[index].is_known)
      return store->targets[index];
    const auto sums = counts().sums;
    return {sums[0] > 0 ? measure.mean(sums.data()) : 0.0, 0.0, true};
  }
  // What it may predict; null: anything.
  const Bounds* bounds() const { return store->bounds.empty() ? nullptr : &store->bounds[index]; }
  // Nodes that follow each other in a finished tree lie far apart until then.
  void fetch() const {
    __builtin_prefetch(&store->nodes[index]);
    store->sums.fetch(index);
    if (index < store->targets.size()) __builtin_prefetch(&store->targets[index]);
  }
  void fetch_children() const { __builtin_prefetch(&store->nodes[node().first_child]); }
  NodeReference child(std::uint32_t i) const {
    NodeReference result{store, node().first_child + i};
    while (result.node().subtree >= 0)
      result = {result.store->subtrees[result.node().subtree].get(), 0};
    return result;
  }
};

// The surrogates of all nodes; no arrays if there are none.
template <class Count>
SurrogateArrays surrogates_of(const std::vector<NodeReference<Count>>& order) {
  SurrogateArrays arrays;
  const auto has_none = [](const auto& reference) { return reference.store->surrogates.empty(); };
  if (std::all_of(order.begin(), order.end(), has_none)) return arrays;
  for (const NodeReference<Count>& reference : order) {
    arrays.begin.push_back(static_cast<std::int64_t>(arrays.kind.size()));
    const auto found = reference.store->surrogates.find(reference.index);
    if (found != reference.store->surrogates.end() && reference.node().n_children > 0)
      for (const Surrogate& surrogate : found->second) arrays.add(surrogate);
    arrays.end.push_back(static_cast<std::int64_t>(arrays.kind.size()));
  }
  return arrays.kind.empty() ? SurrogateArrays{} : arrays;
}

// All nodes level by level, into `order`.
template <class Count>
void by_level(GrownNodes<Count>& nodes, std::vector<NodeReference<Count>>& order) {
  NodeReference<Count> root{&nodes, 0};
  while (root.node().subtree >= 0) root = {root.store->subtrees[root.node().subtree].get(), 0};
  order.clear();
  order.reserve(nodes.nodes.size());
  order.push_back(root);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) order[i + kAhead].fetch_children();
    const NodeReference<Count> parent = order[i];
    for (std::uint32_t c = 0; c < parent.node().n_children; ++c) order.push_back(parent.child(c));
  }
}

// C4.5: a node whose branches make no fewer training errors than it would make as a leaf
// becomes a leaf. Given splits stay.
template <class Count>
void collapse(const std::vector<NodeReference<Count>>& order, const MeasureOf<Count>& measure) {
  std::vector<Count> errors(order.size());
  std::size_t next_child = order.size();  // children of later nodes stand further back
  for (std::size_t i = order.size(); i-- > 0;) {
    GrownNode& node = order[i].node();
    Count total = 0, most = 0;
    for (const Count count : order[i].counts().sums) {
      total += count;
      most = std::max(most, count);
    }
    const Count as_leaf = total - most;
    errors[i] = as_leaf;
    if (node.n_children == 0) continue;
    next_child -= node.n_children;
    Count below = 0;
    for (std::uint32_t c = 0; c < node.n_children; ++c) below += errors[next_child + c];
    if (!node.is_given && measure.weight(below) >= measure.weight(as_leaf) - kEpsilon) {
      node.kind = NodeKind::Leaf;
      node.n_children = 0;
    } else {
      errors[i] = below;
    }
  }
}

// All nodes of the finished tree, in their final order.
template <class Count>
void finished_order(GrownNodes<Count>& nodes, const MeasureOf<Count>& measure,
                    std::vector<NodeReference<Count>>& order) {
  by_level(nodes, order);
  if (!measure.params->collapse || !SumsOf<Count>::kClasses) return;
  collapse(order, measure);
  by_level(nodes, order);
}

// Moves the weights of two classes such that the probability of the second one is within bounds.
inline void clip(const Bounds& bounds, double* weights, double total) {
  if (total <= 0) return;
  const double probability = weights[1] / total, clipped = bounds.clipped(probability);
  if (clipped == probability) return;
  weights[1] = clipped * total;
  weights[0] = total - weights[1];
}

// The labels of two classes, after their weights were moved.
inline void label_again(TreeArrays& tree) {
  for (std::size_t i = 0; i < tree.label.size(); ++i) {
    const double* weights = tree.class_weights.data() + 2 * i;
    if (tree.weight[i] > 0) tree.label[i] = majority_class(weights, 2);
    for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
      tree.label[static_cast<std::size_t>(tree.first_child[i] + c)] = tree.label[i];
  }
}

template <class Count>
TreeArrays finish(GrownNodes<Count>& nodes, const MeasureOf<Count>& measure) {
  std::vector<NodeReference<Count>> order;
  finished_order(nodes, measure, order);
  TreeArrays tree;
  const std::size_t n = order.size();
  const std::size_t n_classes =
      SumsOf<Count>::kClasses ? static_cast<std::size_t>(measure.n_classes) : 0;
  tree.kind.reserve(n), tree.attribute.reserve(n), tree.threshold.reserve(n);
  tree.first_child.reserve(n), tree.n_children.reserve(n), tree.missing_child.reserve(n);
  tree.level_begin.reserve(n), tree.level_end.reserve(n), tree.n_rows.reserve(n);
  tree.weight.reserve(n), tree.impurity.reserve(n), tree.score.reserve(n);
  tree.label.reserve(n), tree.n_tied.reserve(n), tree.class_weights.resize(n * n_classes);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::int32_t next_child = 1;
  for (std::size_t i = 0; i < n; ++i) {
    order[std::min(i + kAhead, n - 1)].fetch();
    const NodeReference<Count>& reference = order[i];
    const GrownNode& node = reference.node();
    const auto counts = reference.counts();
    const Count total =
        SumsOf<Count>::weight(counts.sums.data(), static_cast<int>(counts.sums.size()));
    const bool leaf = node.kind == NodeKind::Leaf;
    tree.kind.push_back(static_cast<std::int8_t>(node.kind));
    tree.attribute.push_back(leaf ? -1 : node.attribute);
    tree.threshold.push_back(node.kind == NodeKind::Threshold ? node.threshold : kNone);
    tree.first_child.push_back(leaf ? -1 : next_child);
    tree.n_children.push_back(static_cast<std::int32_t>(node.n_children));
    next_child += static_cast<std::int32_t>(node.n_children);
    tree.missing_child.push_back(leaf ? -1 : node.missing_child);
    tree.level_begin.push_back(static_cast<std::int64_t>(tree.levels.size()));
    if (!leaf && node.levels >= 0) {
      const auto& levels = reference.store->levels[node.levels];
      tree.levels.insert(tree.levels.end(), levels.begin(), levels.end());
    }
    tree.level_end.push_back(static_cast<std::int64_t>(tree.levels.size()));
    tree.n_rows.push_back(static_cast<std::int64_t>(node.rows()));
    tree.weight.push_back(measure.weight(total));
    tree.score.push_back(leaf ? kNone : node.score);
    tree.label.push_back(node.label);
    tree.n_tied.push_back(leaf ? 0 : node.n_tied);
    if constexpr (SumsOf<Count>::kClasses) {
      const Measure own = measure.of_classes(counts.sums.size());
      tree.impurity.push_back(
          total > 0 ? own.information(counts.sums.data(), total) / own.weight(total) : 0.0);
      double* weights = tree.class_weights.data() + i * n_classes;
      for (std::size_t c = 0; c < counts.sums.size(); ++c)
        weights[counts.place(c)] = measure.weight(counts.sums[c]);
      if (const Bounds* bounds = reference.bounds()) clip(*bounds, weights, tree.weight.back());
    } else {
      const TargetFacts facts = reference.facts(measure);
      tree.impurity.push_back(facts.impurity);
      const Bounds* bounds = reference.bounds();
      tree.value.push_back(bounds ? bounds->clipped(facts.value, measure.target_unit)
                                  : facts.value);
    }
  }
  tree.surrogates = surrogates_of(order);
  if (!measure.params->monotonic.empty() && n_classes > 0) label_again(tree);
  // A node without rows predicts what its parent does.
  for (std::size_t i = 0; i < tree.value.size(); ++i)
    for (std::int32_t c = 0; c < tree.n_children[i]; ++c) {
      const auto child = static_cast<std::size_t>(tree.first_child[i] + c);
      if (tree.weight[child] <= 0) tree.value[child] = tree.value[i];
    }
  return tree;
}

// Buffers reused from tree to tree when packing: memory that is new each time is slow.
struct PackingRoom {
  std::vector<NodeReference<std::int32_t>> order;
  std::vector<std::int32_t> missing, tied, leaf_counts;
};

// The same tree packed, where it has thresholds only and whole counts that add up (rows are not
// divided): what PackedTree::pack makes of finish(), without the way round.
inline PackedTree pack_thresholds(GrownNodes<std::int32_t>& nodes, const Measure& measure,
                                  PackingRoom& room) {
  auto& [order, missing, tied, leaf_counts] = room;
  finished_order(nodes, measure, order);
  missing.clear(), tied.clear(), leaf_counts.clear();
  PackedTree tree;
  tree.n_classes = measure.n_classes;
  tree.criterion = measure.params->criterion;
  reserve_large(tree.steps, order.size());
  reserve_large(tree.n_rows, order.size());
  reserve_large(tree.score, order.size() / 2);
  std::int32_t next_child = 1, n_leaves = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[std::min(i + kAhead, order.size() - 1)].fetch();
    const GrownNode& node = order[i].node();
    tree.n_rows.push_back(node.n_rows);
    if (node.kind == NodeKind::Leaf) {
      order[i].store->sums.append(order[i].index, leaf_counts);
      tree.steps.push_back({static_cast<double>(node.label), -1, n_leaves++});
      continue;
    }
    tree.steps.push_back({node.threshold, node.attribute, next_child});
    next_child += 2;
    missing.push_back(node.missing_child);
    tied.push_back(node.n_tied);
    tree.score.push_back(node.score);
  }
  tree.missing_child = NarrowInts(missing);
  tree.n_tied = NarrowInts(tied);
  tree.leaf_counts = NarrowInts(leaf_counts);
  return tree;
}

}  // namespace plaintree
