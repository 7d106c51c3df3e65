// What the engine is told (Params, ColumnView) and what it gives back (TreeArrays).
//
// The enumerators follow the order of the choices in convention.py; bind.cpp is the only place
// that translates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace plaintree {

enum class Criterion : int { InformationGain, GainRatio, GainRatioConditional, Gini, Error };
enum class Categorical : int { Multiway, OneVsRest, Subset, Grouped };
enum class Missing : int { Fractional, MostCommon, MostCommonInClass, Branch, Error };

// C4.5's one epsilon of tree building: gains above -kEpsilon count as "not negative".
inline constexpr double kEpsilon = 1e-3;
// Where splits that gain nothing are refused, a gain must exceed rounding noise.
inline constexpr double kNoGain = 1e-9;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Params {
  Criterion criterion = Criterion::Gini;
  Categorical categorical = Categorical::Subset;
  Missing missing = Missing::MostCommon;
  int max_depth = -1;  // -1: no limit
  double min_samples_split = 2;
  double min_samples_branch = 1;
  bool every_branch = true;  // false: two branches with the minimum are enough (C4.5)
  double min_score = -kInfinity;
  double significance = 1.0;
  bool zero_gain = true;
  bool data_value_thresholds = false;
  bool cut_by_gain = false;
  bool threshold_penalty = false;
  bool average_gain = false;
  double numeric_branch_share = 0;
  double least_gap = 0;
  double tie_tolerance = 0;
  bool collapse = false;
  int max_bins = 0;  // 0: exact
  int exhaustive_categories = 10;
  int columns_per_node = 0;  // drawn at random for every node; 0: all
};

// A column as the caller holds it: strided, never copied. Numbers: NaN is missing.
// Codes: -1 is missing, -2 (prediction only) a category that training did not have.
struct ColumnView {
  enum class Type : std::uint8_t { Float32, Float64, Codes };
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  Type type = Type::Float64;
  int n_categories = 0;  // of codes

  double number(std::size_t row) const {
    const std::byte* at = data + static_cast<std::ptrdiff_t>(row) * stride;
    if (type == Type::Float32) return *reinterpret_cast<const float*>(at);
    return *reinterpret_cast<const double*>(at);
  }
  std::int32_t code(std::size_t row) const {
    return *reinterpret_cast<const std::int32_t*>(data + static_cast<std::ptrdiff_t>(row) * stride);
  }
};

enum class NodeKind : std::int8_t { Leaf, Threshold, Multiway, Equals, Subset, Grouped };

// The finished tree, level by level; the fields are those of tree.py.
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
  std::vector<double> class_weights;
};

}  // namespace plaintree
