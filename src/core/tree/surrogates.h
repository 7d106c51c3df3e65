// Surrogate splits of a tree: who decides for rows that the condition of a node has no branch for.
//
// The fields are those of tree/surrogates.py in the package. A node's surrogates stand one after
// the other, in the order in which they are tried; all arrays are empty where no node has any.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/node_kind.h"

namespace plaintree {

// The branch of a row by one surrogate, whose `branches` are by category; -1: it has none.
template <class Column>
std::int32_t branch_by(NodeKind kind, double threshold, bool reversed, const std::int32_t* branches,
                       const Column& column, std::size_t row) {
  if (kind == NodeKind::Threshold) {
    const double value = column.number(row);
    return std::isnan(value) ? -1 : (value > threshold) != reversed;
  }
  const std::int32_t code = column.code(row);
  return code < 0 ? -1 : branches[code];
}

// One surrogate. A threshold sends lower values to branch 0, or to branch 1 if it is reversed;
// otherwise it is NaN and `branches` has the branch of every category, -1: none.
struct Surrogate {
  NodeKind kind = NodeKind::Threshold;
  std::int32_t attribute = -1;
  bool reversed = false;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  double agreement = 0, adjusted = 0;
  std::vector<std::int32_t> branches;

  template <class Column>
  std::int32_t branch_of(const Column& column, std::size_t row) const {
    return branch_by(kind, threshold, reversed, branches.data(), column, row);
  }
};

struct SurrogateArrays {
  std::vector<std::int64_t> begin, end;  // of every node
  std::vector<std::int8_t> kind;
  std::vector<std::int32_t> attribute;
  std::vector<double> threshold;
  std::vector<std::int8_t> reversed;
  std::vector<std::int64_t> level_begin, level_end;
  std::vector<double> agreement, adjusted;
  std::vector<std::int32_t> levels;

  void add(const Surrogate& surrogate);
};

// The arrays as the caller holds them.
struct SurrogateView {
  const std::int64_t *begin = nullptr, *end = nullptr;  // null: the tree has none
  const std::int8_t* kind = nullptr;
  const std::int32_t* attribute = nullptr;
  const double* threshold = nullptr;
  const std::int8_t* reversed = nullptr;
  const std::int64_t *level_begin = nullptr, *level_end = nullptr;
  const double *agreement = nullptr, *adjusted = nullptr;
  const std::int32_t* levels = nullptr;

  bool empty() const { return begin == nullptr; }
  template <class Column>
  std::int32_t branch_of(std::int64_t place, const Column& column, std::size_t row) const {
    return branch_by(static_cast<NodeKind>(kind[place]), threshold[place], reversed[place] != 0,
                     levels + level_begin[place], column, row);
  }
  Surrogate operator[](std::int64_t place) const {
    return {static_cast<NodeKind>(kind[place]),
            attribute[place],
            reversed[place] != 0,
            threshold[place],
            agreement[place],
            adjusted[place],
            {levels + level_begin[place], levels + level_end[place]}};
  }
};

inline void SurrogateArrays::add(const Surrogate& surrogate) {
  kind.push_back(static_cast<std::int8_t>(surrogate.kind));
  attribute.push_back(surrogate.attribute);
  threshold.push_back(surrogate.threshold);
  reversed.push_back(surrogate.reversed);
  level_begin.push_back(static_cast<std::int64_t>(levels.size()));
  levels.insert(levels.end(), surrogate.branches.begin(), surrogate.branches.end());
  level_end.push_back(static_cast<std::int64_t>(levels.size()));
  agreement.push_back(surrogate.agreement);
  adjusted.push_back(surrogate.adjusted);
}

}  // namespace plaintree
