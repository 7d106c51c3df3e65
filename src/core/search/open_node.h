// A node that is still to be split, and its rows.
//
// A node owns the range [begin, end) of every array in Rows: of `entries`, of `weights` where
// rows are divided over branches, and of every sorted list. A split rearranges the range so that
// each child owns a part of it; the order inside a list stays (by rank, missing last). Only where
// missing rows go to several children does a child's range reach beyond its parent's; such nodes
// are always the last ones in the arrays, because open nodes are worked off last in, first out.
#pragma once

#include <cstdint>
#include <vector>

#include "search/closed_columns.h"
#include "table/training_table.h"

namespace plaintree {

// In place of a node of a given tree.
inline constexpr std::int32_t kGrown = -1;    // it is grown freely
inline constexpr std::int32_t kStopped = -2;  // it is a leaf, which the given tree does not have

template <class Count>
struct Rows {
  std::vector<Entry> entries;  // empty if not needed: all columns are sorted lists
  std::vector<Count> weights;  // of `entries`; only if rows are divided over branches
  std::vector<std::vector<Item>> sorted;
};

template <class Count>
struct OpenNode {
  std::uint32_t node = 0;
  std::uint32_t begin = 0, end = 0;
  std::uint32_t n_rows = 0;  // as often as they were drawn
  int depth = 0;
  std::int32_t given = kGrown;      // the node of a given tree that it follows, kGrown or kStopped
  const RowCodes* codes = nullptr;  // where the rows of its entries are
  std::uint64_t path = 0;  // a hash of the tree and the branches on the way: the source of draws
  Closed closed;
  std::vector<Count> byte_counts;  // of the byte columns, if they are known already

  std::uint32_t size() const { return end - begin; }
};

}  // namespace plaintree
