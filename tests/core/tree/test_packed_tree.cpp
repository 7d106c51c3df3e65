// Packed trees come out as they went in.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "grow/grow.h"
#include "tables.h"
#include "tree/packed_tree.h"
#include "tree/prediction.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

bool equal(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

void check_round_trip(const TreeArrays& tree, int n_classes, Criterion criterion) {
  for (const bool any_node : {false, true}) {
    const TreeArrays again = PackedTree::pack(tree, n_classes, criterion, any_node).unpack();
    CHECK(again.kind == tree.kind && again.attribute == tree.attribute);
    CHECK(equal(again.threshold, tree.threshold) && again.first_child == tree.first_child);
    CHECK(again.n_children == tree.n_children && again.missing_child == tree.missing_child);
    CHECK(again.levels == tree.levels && again.level_end == tree.level_end);
    CHECK(again.n_rows == tree.n_rows && equal(again.weight, tree.weight));
    CHECK(equal(again.impurity, tree.impurity) && equal(again.score, tree.score));
    CHECK(again.label == tree.label && again.n_tied == tree.n_tied);
    CHECK(equal(again.class_weights, tree.class_weights));
  }
}

}  // namespace

TEST(packed_trees_come_out_as_they_went_in) {
  std::mt19937 random(5);
  constexpr int n = 400;
  std::vector<double> x(n), weights(n);
  std::vector<std::int32_t> category(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = random() % 7 == 0 ? kNaN : static_cast<double>(random() % 50);
    category[i] = static_cast<std::int32_t>(random() % 4);
    y[i] = static_cast<std::int32_t>(random() % 3);
    weights[i] = 0.5 + static_cast<double>(random() % 100) / 7;
  }
  const std::vector<ColumnView> columns{numbers(x), codes(category, 4)};
  for (const Missing missing : {Missing::Fractional, Missing::MostCommon, Missing::Branch})
    for (const Categorical categorical : {Categorical::Multiway, Categorical::Subset})
      for (const bool weighted : {false, true}) {
        Params params;
        params.missing = missing;
        params.categorical = categorical;
        params.criterion = weighted ? Criterion::Gini : Criterion::InformationGain;
        std::span<const double> given;
        if (weighted) given = weights;
        check_round_trip(grow({columns, y, 3, given}, params, 1), 3, params.criterion);
      }
}

TEST(a_packed_leaf_predicts_its_label) {
  TreeArrays tree;
  tree.kind = {0};
  tree.attribute = tree.first_child = tree.missing_child = {-1};
  tree.n_children = tree.n_tied = {0};
  tree.threshold = tree.score = {std::nan("")};
  tree.level_begin = tree.level_end = {0};
  tree.n_rows = {12};
  tree.weight = {12};
  tree.impurity = {0.5};
  tree.label = {0};  // not the majority class
  tree.class_weights = {2, 5, 5};
  CHECK(PackedTree::pack(tree, 3, Criterion::Gini, false).answer_of(0) == 0);
}
