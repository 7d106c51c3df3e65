// Trees as model files store most of them: thresholds only, whole counts, all else follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/packed_tree.h"

namespace plaintree {

// Columns of several trees, one tree after the other, nodes level by level.
struct PlainTrees {
  int n_classes = 0;
  std::span<const std::uint32_t> n_nodes;   // of each tree
  std::span<const std::uint8_t> is_inner;   // of every node
  std::span<const std::int32_t> attribute;  // of inner nodes, as are the next three
  std::span<const double> threshold;
  std::span<const std::int8_t> missing_child;  // -1, 0 or 1
  std::span<const std::int32_t> n_tied;
  std::span<const std::uint32_t> leaf_rows;   // of leaves, as is the next
  std::span<const std::int32_t> leaf_counts;  // one class after the other; every leaf has some
};

// Packs the trees, whose scores are gains in the Gini index. Throws std::invalid_argument unless
// the columns are as long as they must be and describe trees; attributes are taken as they are.
void pack_plain_trees(const PlainTrees& columns, bool any_node_answers,
                      std::vector<PackedTree>& trees);

}  // namespace plaintree
