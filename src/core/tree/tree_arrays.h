// A finished tree as arrays, level by level.
#pragma once

#include <cstdint>
#include <vector>

#include "base/node_kind.h"
#include "base/zeroed.h"
#include "tree/surrogates.h"

namespace plaintree {

// The fields are those of tree/tree.py in the package.
struct TreeArrays {
  std::vector<std::int8_t> kind;
  std::vector<std::int32_t> attribute;
  std::vector<double> threshold;
  std::vector<std::int32_t> first_child;
  std::vector<std::int32_t> n_children;
  std::vector<std::int32_t> missing_child;
  std::vector<std::int64_t> level_begin;
  std::vector<std::int64_t> level_end;
  std::vector<std::int64_t> n_rows;
  std::vector<double> weight;
  std::vector<double> impurity;
  std::vector<double> score;
  std::vector<std::int32_t> label;
  std::vector<std::int32_t> n_tied;
  std::vector<std::int32_t> levels;
  Zeroed<double> class_weights;  // nodes x classes; empty: the target is numeric
  std::vector<double> value;     // what each node predicts of a numeric target; empty: classes
  SurrogateArrays surrogates;
  std::vector<std::int32_t> n_values;  // not of nodes: distinct values of the columns grown on
};

}  // namespace plaintree
