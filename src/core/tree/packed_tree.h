// A finished tree in few bytes: what forests keep, predict with, and store.
//
//   step   what walking down needs of a node, side by side: four nodes in a cache line
//   inner  a node that tests something; inner nodes are numbered in the order of the nodes
//
// What follows from the rest is not stored: the counts of inner nodes (the sums of their
// children's), weights (the sums of the counts), labels (the majority class), impurities. Where a
// tree is different, say because rows were divided over branches, the array itself is kept, so
// that any tree comes out of unpack() as it went into pack().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/params.h"
#include "tree/tree_arrays.h"

namespace plaintree {

struct Step {
  double threshold;          // a leaf: what it predicts, the label of a class or a number
  std::int32_t attribute;    // -1 in a leaf
  std::int32_t first_child;  // a leaf: its number among the leaves
};

// Integers in as few bytes as hold every one of them: one, two or four each.
class NarrowInts {
 public:
  NarrowInts() = default;
  explicit NarrowInts(std::span<const std::int32_t> values);

  bool empty() const { return n_bytes() == 0; }
  std::int32_t operator[](std::size_t i) const {
    if (!bytes_.empty()) return bytes_[i];
    return shorts_.empty() ? ints_[i] : shorts_[i];
  }
  std::size_t n_bytes() const { return bytes_.size() + 2 * shorts_.size() + 4 * ints_.size(); }

 private:
  std::vector<std::int8_t> bytes_;
  std::vector<std::int16_t> shorts_;
  std::vector<std::int32_t> ints_;
};

struct PackedTree {
  int n_classes = 0;                      // 0: the target is numeric
  Criterion criterion = Criterion::Gini;  // of the impurities
  std::vector<Step> steps;
  std::vector<std::uint32_t> n_rows;
  // Of inner nodes.
  std::vector<double> score;
  NarrowInts missing_child;
  NarrowInts n_tied;
  NarrowInts kind;                       // empty: thresholds only
  NarrowInts n_children;                 // empty: two each
  std::vector<std::int32_t> inner;       // of every node: its number among inner ones; as above
  std::vector<std::int64_t> level_ends;  // into `levels`; empty: no levels
  std::vector<std::int32_t> levels;
  // Class weights: whole ones of the leaves or of all nodes, or any of all nodes.
  NarrowInts leaf_counts;
  std::vector<std::int32_t> node_counts;
  std::vector<double> node_weights;
  std::vector<double> value;  // of inner nodes, where the target is numeric
  // Empty if they follow from the class weights.
  std::vector<double> weight, impurity;
  std::vector<std::int32_t> label;

  std::size_t n_nodes() const { return steps.size(); }
  std::size_t n_bytes() const;

  // `any_node_answers`: not only leaves, so that the counts of all nodes are at hand.
  static PackedTree pack(const TreeArrays& tree, int n_classes, Criterion criterion,
                         bool any_node_answers);
  TreeArrays unpack() const;

  // ------------------------------------------------------------ what walking down needs

  bool thresholds_only() const { return kind.empty(); }
  std::size_t inner_number(std::int32_t node) const {
    return inner.empty() ? static_cast<std::size_t>(steps[node].first_child - 1) / 2
                         : static_cast<std::size_t>(inner[node]);
  }
  NodeKind kind_of(std::int32_t node) const {
    if (steps[node].attribute < 0) return NodeKind::Leaf;
    if (thresholds_only()) return NodeKind::Threshold;
    return static_cast<NodeKind>(kind[inner_number(node)]);
  }
  std::int32_t missing_child_of(std::int32_t node) const {
    return missing_child[inner_number(node)];
  }
  std::int32_t n_children_of(std::int32_t node) const {
    return n_children.empty() ? 2 : n_children[inner_number(node)];
  }
  std::span<const std::int32_t> levels_of(std::int32_t node) const;
  double weight_of(std::int32_t node) const;
  bool has_targets() const { return n_classes == 0; }
  // How many numbers a row is predicted by: the shares of the classes, or one.
  std::size_t n_outputs() const { return has_targets() ? 1 : static_cast<std::size_t>(n_classes); }
  double value_of(std::int32_t node) const {
    return steps[node].attribute < 0 ? steps[node].threshold : value[inner_number(node)];
  }
  std::int32_t answer_of(std::int32_t node) const {
    return steps[node].attribute < 0 ? static_cast<std::int32_t>(steps[node].threshold)
                                     : answer_of_inner(node);
  }
  // Adds a share of the node's class distribution, or of its value.
  void add_shares(std::int32_t node, double share, double* shares) const;

 private:
  double class_weight(std::int32_t node, int c) const;
  std::int32_t answer_of_inner(std::int32_t node) const;
};

}  // namespace plaintree
