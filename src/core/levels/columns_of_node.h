// The columns that a node looks at: all that are open, or some that are drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/params.h"
#include "base/random.h"
#include "levels/level_nodes.h"

namespace plaintree {

class ColumnsOfNode {
 public:
  ColumnsOfNode(const Params& params, std::size_t n_columns)
      : params_(params), n_columns_(n_columns), shuffle_(static_cast<std::uint32_t>(n_columns)) {}

  // The columns that are looked at in this round; none: there are no more.
  std::vector<int> operator()(const LevelNode& open) {
    std::int32_t round = open.rounds;
    if (static_cast<std::size_t>(open.depth) < params_.first.size()) {
      const std::int32_t column = params_.first[static_cast<std::size_t>(open.depth)];
      const bool is_closed = open.closed && open.closed->columns[column];
      if (!is_closed && round-- == 0) return {column};
    }
    if (params_.columns_per_node == 0) return round == 0 ? open_columns(open) : std::vector<int>{};
    std::vector<int> columns;
    shuffle_.start(open.path);
    for (std::int32_t r = 0; r <= round; ++r) {
      columns.clear();
      if (shuffle_.empty()) return {};
      shuffle_.take(r == 0 ? params_.columns_per_node : 1, [&](std::uint32_t column) {
        const bool is_open = !open.closed || !open.closed->columns[column];
        if (is_open) columns.push_back(static_cast<int>(column));
        return is_open;
      });
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  }

 private:
  std::vector<int> open_columns(const LevelNode& open) const {
    std::vector<int> columns;
    for (int j = 0; j < static_cast<int>(n_columns_); ++j)
      if (!open.closed || !open.closed->columns[j]) columns.push_back(j);
    return columns;
  }

  const Params& params_;
  const std::size_t n_columns_;
  Shuffle shuffle_;
};

}  // namespace plaintree
