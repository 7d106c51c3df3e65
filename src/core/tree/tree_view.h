// A finished tree as the caller holds it.
#pragma once

#include <cstdint>
#include <span>

#include "tree/surrogates.h"
#include "tree/tree_arrays.h"

namespace plaintree {

// The arrays of tree.py that predicting and pruning need, as the caller holds them.
struct TreeView {
  std::size_t n_nodes = 0;
  int n_classes = 0;
  const std::int8_t* kind;
  const std::int32_t* attribute;
  const double* threshold;
  const std::int32_t* first_child;
  const std::int32_t* n_children;
  const std::int32_t* missing_child;
  const std::int64_t* level_begin;
  const std::int64_t* level_end;
  const std::int32_t* levels;
  const double* weight;
  const double* score;
  const std::int32_t* label;
  const std::int32_t* n_tied;
  const double* class_weights;
  const double* value = nullptr;  // of each node, where the target is numeric
  const double* costs = nullptr;  // of errors, actual x predicted; null: all are 1
  SurrogateView surrogates;

  NodeKind kind_of(std::int32_t node) const { return static_cast<NodeKind>(kind[node]); }
  std::int32_t missing_child_of(std::int32_t node) const { return missing_child[node]; }
  std::int32_t n_children_of(std::int32_t node) const { return n_children[node]; }
  double weight_of(std::int32_t node) const { return weight[node]; }
  std::span<const std::int32_t> levels_of(std::int32_t node) const {
    return {levels + level_begin[node], levels + level_end[node]};
  }
  // How many numbers a row is predicted by: the shares of the classes, or one.
  std::size_t n_outputs() const { return value ? 1 : static_cast<std::size_t>(n_classes); }
  // Adds a share of the node's class distribution, or of its value.
  void add_shares(std::int32_t node, double share, double* shares) const {
    if (value) {
      shares[0] += share * value[node];
      return;
    }
    if (weight[node] <= 0) {
      shares[label[node]] += share;
      return;
    }
    const double* weights = class_weights + static_cast<std::size_t>(node) * n_classes;
    for (int c = 0; c < n_classes; ++c) shares[c] += share * (weights[c] / weight[node]);
  }
};

}  // namespace plaintree
