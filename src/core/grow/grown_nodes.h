// The nodes made so far.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "grow/node_sums.h"
#include "grow/target_facts.h"
#include "stats/bounds.h"
#include "tree/surrogates.h"
#include "tree/tree_arrays.h"

namespace plaintree {

struct GrownNode {
  double threshold = 0;
  double score = 0;
  std::int32_t attribute = -1;
  // A cut is between these codes or ranks, or the values of these rows (see look_up_thresholds).
  std::int32_t code = -1, next_code = -1;
  std::uint32_t first_child = 0;
  std::uint32_t n_children = 0;
  std::int32_t missing_child = -1;
  std::uint32_t n_rows = 0;
  std::int32_t label = 0;
  std::int32_t n_tied = 0;
  std::int32_t levels = -1;      // a position in GrownNodes::levels
  std::int32_t subtree = -1;     // the node is the root of that subtree instead
  std::uint16_t rows_above = 0;  // bits 32 to 47 of the number of rows: of tables in parts only
  NodeKind kind = NodeKind::Leaf;
  bool is_given = false;  // its split is that of a given tree

  std::uint64_t rows() const { return static_cast<std::uint64_t>(rows_above) << 32 | n_rows; }
  void set_rows(std::uint64_t n) {
    n_rows = static_cast<std::uint32_t>(n);
    rows_above = static_cast<std::uint16_t>(n >> 32);
  }
};

// Nodes in pieces that stay where they are. An array that moves to a larger place whenever it is
// full is there twice for a while; pieces also fit between what else is in memory.
class NodeList {
 public:
  std::size_t size() const { return size_; }
  GrownNode& operator[](std::size_t i) { return pieces_[i / kPiece][i % kPiece]; }
  const GrownNode& operator[](std::size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  void push_back(const GrownNode& node) {
    const std::size_t piece = size_++ / kPiece;
    if (piece == pieces_.size()) pieces_.emplace_back().reserve(kPiece);
    pieces_[piece].push_back(node);
  }
  // Empties the buffers and keeps their memory.
  void clear() {
    for (std::vector<GrownNode>& piece : pieces_) piece.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kPiece = 1024;
  std::vector<std::vector<GrownNode>> pieces_;  // full, but for the last one in use
  std::size_t size_ = 0;
};

template <class Count>
struct GrownNodes {
  NodeList nodes;
  NodeSums<Count> sums;
  std::vector<Bounds> bounds;        // empty: no column is monotonic
  std::vector<TargetFacts> targets;  // of the nodes that were opened; empty: classes
  std::vector<std::vector<std::int32_t>> levels;
  std::unordered_map<std::uint32_t, std::vector<Surrogate>> surrogates;  // by node
  std::vector<std::unique_ptr<GrownNodes>> subtrees;

  // Empties the list and keeps its memory.
  void clear() {
    nodes.clear();
    sums.clear();
    bounds.clear();
    targets.clear();
    levels.clear();
    surrogates.clear();
    subtrees.clear();
  }

  std::uint32_t add(std::span<const Count> own, std::uint32_t n_rows, std::int32_t label) {
    GrownNode node;
    node.n_rows = n_rows;
    node.label = label;
    nodes.push_back(node);
    sums.add(own);
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
};

}  // namespace plaintree
