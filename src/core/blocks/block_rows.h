// Where the rows of a block stand in a growing tree.
//
// Rows follow the splits of a plan from the root; a state remembers how far they have come. One
// that was lost is replaced by an empty one, and rows follow all splits once more.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/block.h"
#include "blocks/request.h"

namespace plaintree {

struct BlockRows {
  std::uint32_t n_splits = 0;       // of the plan, that were followed
  std::vector<std::int32_t> nodes;  // of the rows; -1: a row that counts nothing
  std::vector<std::uint32_t>
      rows;  // empty: 0, 1, 2 ...; rows that are divided are there more often
  std::vector<std::int64_t> weights;  // in units, or as often as drawn; empty: 1
  std::vector<std::uint32_t> times;   // as often as drawn, where that is not the weight

  BlockRows() = default;
  // All rows at the root.
  BlockRows(const BlockView& block, const RowRules& rules);
  // From bytes; none are all rows at the root.
  static BlockRows read(ByteSpan state, const BlockView& block, const RowRules& rules);
  Bytes bytes() const;

  std::size_t size() const { return nodes.size(); }
  std::uint32_t row(std::size_t i) const {
    return rows.empty() ? static_cast<std::uint32_t>(i) : rows[i];
  }
  std::int64_t weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }

  // Follows the splits of the plan that are new.
  void follow(const BlockView& block, const Request& request);
};

// The weight of a row in units, from the weight that it was given.
class RowWeights {
 public:
  explicit RowWeights(const RowRules& rules) : rules_(rules) {}
  std::int64_t of(double weight, std::size_t group) const;

 private:
  const RowRules& rules_;
};

}  // namespace plaintree
