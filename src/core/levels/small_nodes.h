// Small nodes that were set aside: their rows are gathered, and grown in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "levels/grow_rows.h"
#include "levels/growth.h"

namespace plaintree {

template <Statistics S>
class SmallNodes {
 public:
  using Count = typename S::Sum;

  explicit SmallNodes(Growth<S>& growth) : g_(growth) {}

  // As many nodes as have room; false: none is left.
  bool prepare(Request& request) {
    if (g_.set_aside.empty()) return false;
    std::uint64_t n_rows = 0;
    n_gathered_ = 0;
    for (; n_gathered_ < g_.set_aside.size(); ++n_gathered_) {
      n_rows += g_.set_aside[n_gathered_].rows;
      if (n_gathered_ > 0 && n_rows > g_.options.gather_rows) break;
      request.gather.push_back(g_.set_aside[n_gathered_].node);
    }
    return true;
  }
  void take(const Request& request, const Reply& reply) {
    const auto end = g_.set_aside.begin() + static_cast<std::ptrdiff_t>(n_gathered_);
    RowsByNode rows(reply.rows, request.gather);
    std::vector<std::unique_ptr<GrownNodes<Count>>> grown(n_gathered_);
    const RowGrower<S> grower(g_.facts, g_.root_weight);
    g_.team->run(static_cast<int>(n_gathered_), [&](int i, int) {
      const LevelNode& node = g_.set_aside[static_cast<std::size_t>(i)];
      const Bounds* bounds = g_.nodes.bounds.empty() ? nullptr : &g_.nodes.bounds[node.node];
      grown[i] = grower.grow(rows.of(static_cast<std::size_t>(i)), node, bounds, g_.empty_branches,
                             g_.team->watch());
    });
    for (std::size_t i = 0; i < n_gathered_; ++i) {
      g_.nodes.nodes[g_.set_aside[i].node].subtree =
          static_cast<std::int32_t>(g_.nodes.subtrees.size());
      g_.nodes.subtrees.push_back(std::move(grown[i]));
    }
    g_.set_aside.erase(g_.set_aside.begin(), end);
  }

 private:
  Growth<S>& g_;
  std::size_t n_gathered_ = 0;
};

}  // namespace plaintree
