// Rows reach the same leaves whichever way they walk down.
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
  constexpr int n = 1000;
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
  const std::vector<PackedTree> packed{PackedTree::pack(tree, 3, Criterion::Gini, false, false)};
  std::vector<double> shares(3 * n), from_forest(3 * n);
  predict_shares(view_of(tree, 3), columns, n, {}, shares.data());
  forest_shares(packed, columns, n, Voting::Probability, {}, from_forest.data());
  CHECK(shares == from_forest);
  std::vector<std::int32_t> nodes(n), classes(n);
  predict_nodes(view_of(tree, 3), columns, n, {}, nodes.data());
  predict_classes(view_of(tree, 3), columns, n, {}, classes.data());
  for (int i = 0; i < n; ++i) CHECK(classes[i] == tree.label[nodes[i]]);
}

}  // namespace

TEST(walks_agree_for_doubles) { check_walks<double>(false); }
TEST(walks_agree_for_floats) { check_walks<float>(false); }
TEST(walks_agree_with_missing_values) { check_walks<double>(true); }
