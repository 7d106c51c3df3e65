// The nodes of a tree that is grown level by level.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "blocks/request.h"
#include "grow/grown_nodes.h"
#include "search/closed_columns.h"

namespace plaintree {

// A node that may be split further.
struct LevelNode {
  std::int32_t node = 0;
  std::int32_t depth = 0;
  std::uint64_t path = 0;
  std::uint64_t rows = 0, times = 0;  // times: as often as they were drawn
  bool needs_sums = false;            // they do not follow from the parent's counts
  std::int32_t rounds = 0;            // how often columns were drawn for it
  Closed closed;
  std::vector<std::uint32_t> first_code, last_code;  // by column: where its rows may be
};

template <class Count>
struct LevelNodes {
  int width = 1;
  std::vector<GrownNode> nodes;
  std::vector<Count> sums;           // nodes x width
  std::vector<Bounds> bounds;        // empty: no column is monotonic
  std::vector<TargetFacts> targets;  // of nodes that were opened; empty: classes
  std::vector<std::vector<std::int32_t>> levels;
  std::vector<BlockSplit> plan;
  std::vector<std::unique_ptr<GrownNodes<Count>>> subtrees;

  Count* sums_of(std::int32_t node) {
    return sums.data() + static_cast<std::size_t>(node) * static_cast<std::size_t>(width);
  }
  std::int32_t add(const Count* own, std::uint64_t n_rows, std::int32_t label) {
    GrownNode node;
    node.set_rows(n_rows);
    node.label = label;
    nodes.push_back(node);
    sums.insert(sums.end(), own, own + width);
    return static_cast<std::int32_t>(nodes.size() - 1);
  }

  // As the grown nodes that finish() takes.
  GrownNodes<Count> grown() {
    GrownNodes<Count> result;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      result.nodes.push_back(nodes[i]);
      result.sums.add({sums_of(static_cast<std::int32_t>(i)), static_cast<std::size_t>(width)});
    }
    result.bounds = bounds;
    result.targets = targets;
    result.levels = levels;
    result.subtrees = std::move(subtrees);
    return result;
  }

  void write(ByteWriter& writer) const;
  void read(ByteReader& reader);
};

}  // namespace plaintree
