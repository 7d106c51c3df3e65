// Rows reach the same leaves whichever way they walk down.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "forest/forest.h"
#include "grow/grow.h"
#include "predict/predict.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

template <class Number>
void check_walks(bool with_missing) {
  std::mt19937 random(11);
  constexpr int n = 3000;  // enough for the quick walk
  std::vector<Number> a(n), b(n);
  std::vector<std::int32_t> y(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<Number>(random() % 300) / 8;
    b[i] = with_missing && random() % 9 == 0 ? static_cast<Number>(kNaN)
                                             : static_cast<Number>(random() % 1000) / 16;
    y[i] = static_cast<std::int32_t>(random() % 3);
  }
  const std::vector<ColumnView> columns{numbers(a), numbers(b)};
  const TreeArrays tree = grow({columns, y, 3, {}}, {}, 1);
  const std::vector<PackedTree> packed{PackedTree::pack(tree, 3, Criterion::Gini, false)};
  std::vector<double> shares(3 * n), from_forest(3 * n);
  predict_shares(view_of(tree, 3), columns, n, {}, shares.data());
  forest_shares(packed, columns, n, Voting::Probability, {}, from_forest.data());
  CHECK(shares == from_forest);
  std::vector<std::int32_t> nodes(n), classes(n);
  predict_nodes(view_of(tree, 3), columns, n, {}, nodes.data());
  predict_classes(view_of(tree, 3), columns, n, {}, classes.data());
  for (int i = 0; i < n; ++i) CHECK(classes[i] == tree.label[nodes[i]]);
}

// Sets of categories are masks of 32 or 64 bits in the quick walk, or tables of up to 1,024 bits;
// larger ones are walked otherwise.
void check_walks_of_categories(int n_categories) {
  std::mt19937 random(12);
  constexpr int n = 3000;
  std::vector<float> a(n);
  std::vector<std::int32_t> category(n), y(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(random() % 100);
    category[i] = static_cast<std::int32_t>(random() % n_categories);
    y[i] = static_cast<std::int32_t>((category[i] / 3 + random() % 2) % 2);
  }
  const std::vector<ColumnView> columns{numbers(a), codes(category, n_categories)};
  const TreeArrays tree = grow({columns, y, 2, {}}, {}, 1);
  CHECK(std::count(tree.kind.begin(), tree.kind.end(), std::int8_t(NodeKind::Subset)) > 0);
  const std::vector<PackedTree> packed{PackedTree::pack(tree, 2, Criterion::Gini, false)};
  const auto check_same = [&] {
    std::vector<double> shares(2 * n), from_forest(2 * n);
    predict_shares(view_of(tree, 2), columns, n, {}, shares.data());
    forest_shares(packed, columns, n, Voting::Probability, {}, from_forest.data());
    CHECK(shares == from_forest);
  };
  check_same();
  category[5] = -1;  // missing
  category[6] = -2;  // not in the training rows
  check_same();
}

}  // namespace

TEST(walks_agree_for_doubles) { check_walks<double>(false); }
TEST(walks_agree_for_floats) { check_walks<float>(false); }
TEST(walks_agree_with_missing_values) { check_walks<double>(true); }
TEST(walks_agree_for_categories) {
  for (const int n_categories : {4, 32, 33, 64, 65, 100, 128, 1000, 1024, 1025, 1200})
    check_walks_of_categories(n_categories);
}
