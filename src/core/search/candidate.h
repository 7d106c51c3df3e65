// The best split of one column at one node.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stats/criterion.h"
#include "tree/tree_arrays.h"

namespace plaintree {

struct Candidate {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  bool valid = false;
  NodeKind kind = NodeKind::Leaf;
  Score score;
  double penalty = 0;           // C4.5's, of a threshold: what its gain was reduced by
  std::uint32_t position = 0;   // sorted column: how many known items are on the low side
  std::int32_t code = -1;       // bytes: last code on the low side; Equals: the category
  std::int32_t next_code = -1;  // bytes: first code on the high side
  double threshold = kNone;     // one that was drawn; otherwise it follows from the codes or items
  // Subset: the categories of the first branch, ascending. Grouped: the branch of every category.
  std::vector<std::int32_t> subset;
  std::int32_t n_branches = 2;  // of Grouped
  // Of a threshold: the upper bits of every row's code in this column, where a finder gathered
  // them.
  const std::uint16_t* upper_codes = nullptr;
  // Of a threshold that splits numeric targets, where no row is missing: weight and sum of the low
  // side. A weight of 0: not known.
  WideInt low_weight = 0, low_sum = 0;
  // Of a threshold: how many rows are missing, and the code that stands for them if any are. -1:
  // not known.
  std::int32_t n_missing = -1, middle_code = -1;
};

}  // namespace plaintree
