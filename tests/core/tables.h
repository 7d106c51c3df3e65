// Small tables for the tests of the core: columns and trees as views of vectors.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/params.h"
#include "base/team.h"
#include "table/training_table.h"
#include "tree/tree_view.h"

namespace plaintree::testing {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline ColumnView numbers(const std::vector<double>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(double),
          ColumnView::Type::Float64, 0};
}

inline ColumnView numbers(const std::vector<float>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(float),
          ColumnView::Type::Float32, 0};
}

inline ColumnView codes(const std::vector<std::int32_t>& values, int n_categories) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(std::int32_t),
          ColumnView::Type::Codes, n_categories};
}

inline TrainingTable table_of(const std::vector<ColumnView>& columns,
                              const std::vector<std::int32_t>& classes, const Params& params = {},
                              const std::vector<double>& weights = {}) {
  Watch watch;
  Team team(2, watch);
  return make_training_table({columns, classes, 2, weights}, params, 0, team);
}

inline TreeView view_of(const TreeArrays& tree, int n_classes) {
  TreeView view;
  view.n_nodes = tree.kind.size();
  view.n_classes = n_classes;
  view.kind = tree.kind.data();
  view.attribute = tree.attribute.data();
  view.threshold = tree.threshold.data();
  view.first_child = tree.first_child.data();
  view.n_children = tree.n_children.data();
  view.missing_child = tree.missing_child.data();
  view.level_begin = tree.level_begin.data();
  view.level_end = tree.level_end.data();
  view.levels = tree.levels.data();
  view.weight = tree.weight.data();
  view.score = tree.score.data();
  view.label = tree.label.data();
  view.n_tied = tree.n_tied.data();
  view.class_weights = tree.class_weights.data();
  return view;
}

}  // namespace plaintree::testing
