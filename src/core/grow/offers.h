// What the columns offer at a node: the best split of each, and whether it qualifies.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/node_kind.h"
#include "search/choice.h"

namespace plaintree {

// The best split of one column.
struct ColumnOffer {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  int column = -1;
  NodeKind kind = NodeKind::Leaf;  // Leaf: the column offers none
  Refusal refusal = Refusal::NotFound;
  double score = kUnknown, gain = kUnknown, penalty = 0, split_info = kUnknown;
  double threshold = kUnknown;
  double p_value = kUnknown;  // where the significance of splits is asked for
  std::vector<std::int32_t> levels;
  std::int32_t missing_child = -1;
  std::int64_t n_missing = 0;
  int n_values = 0;  // that a threshold may separate, or categories; 2: two or more
  std::vector<std::int64_t> branch_rows;
  std::vector<double> branch_sums;  // branches x classes, or x (weight, mean)
};

// Why a threshold may not be used.
enum class CutRefusal : std::uint8_t { None, FewRows, TooClose, Monotonic, NoMean };

// The thresholds of a numeric column: between each two neighbouring values of the node.
struct Cuts {
  std::vector<double> thresholds, scores, gains;
  std::vector<double> below;  // thresholds x classes, or x (weight, mean); with imputed rows
  std::vector<double> all;    // the same of all rows that take part
  std::vector<std::uint8_t> refusals;
};

// Those of all columns that are open to the node, and facts of the node.
struct Offers {
  bool reached = false;  // by a row
  std::int64_t n_rows = 0;
  int depth = 0;
  std::vector<double> sums;  // by class, or weight and mean
  double impurity = 0, root_weight = 0;
  double average_gain = ColumnOffer::kUnknown;  // the mean gain that C4.5 demands
  int chosen = -1;                              // a position; -1: none qualifies
  int demanded = -1;  // the column that nodes of this depth are split on, if any
  std::vector<ColumnOffer> offers;
  int cuts_of = -1;  // a numeric column whose thresholds are asked for instead
  Cuts cuts;
};

}  // namespace plaintree
