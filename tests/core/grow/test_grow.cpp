// Growing whole trees, and predicting the training rows with them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "grow/grow.h"
#include "predict/predict.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(exclusive_or_is_learnt) {
  const std::vector<std::int32_t> a{0, 0, 1, 1}, b{0, 1, 0, 1}, y{0, 1, 1, 0};
  Params params;
  params.criterion = Criterion::InformationGain;
  params.categorical = Categorical::Multiway;
  const std::vector<ColumnView> columns{codes(a, 2), codes(b, 2)};
  const TreeArrays tree = grow({columns, y, 2, {}}, params, 1);
  CHECK(tree.kind.size() == 7);
  std::vector<std::int32_t> predicted(4);
  predict_classes(view_of(tree, 2), columns, 4, {}, predicted.data());
  CHECK(predicted == y);
}

TEST(infinities_are_extremes) {
  const std::vector<double> x{-kInfinity, 0, 1, kInfinity};
  const std::vector<std::int32_t> y{1, 0, 0, 1};
  const std::vector<ColumnView> columns{numbers(x)};
  const TreeArrays tree = grow({columns, y, 2, {}}, {}, 1);
  std::vector<std::int32_t> predicted(4);
  predict_classes(view_of(tree, 2), columns, 4, {}, predicted.data());
  CHECK(predicted == y);
  for (const double t : tree.threshold) CHECK(std::isnan(t) || t < kInfinity);
}

TEST(long_chains_grow) {
  // Alternating classes are peeled off one at a time: a tree as deep as it has rows.
  constexpr int n = 2000;
  std::vector<double> x(n);
  std::vector<std::int32_t> y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = i % 2;
  }
  const std::vector<ColumnView> columns{numbers(x)};
  const TreeArrays tree = grow({columns, y, 2, {}}, {}, 1);
  CHECK(tree.kind.size() == 2 * n - 1);
  std::vector<std::int32_t> predicted(n);
  predict_classes(view_of(tree, 2), columns, n, {}, predicted.data());
  CHECK(predicted == y);
}

// One thread and two grow the same tree, on a table large enough to be shared out.
static void check_threads_do_not_matter(Missing missing, Criterion criterion, bool with_missing) {
  std::mt19937 random(7);
  constexpr int n = 30000;
  std::vector<double> x1(n), x2(n);
  std::vector<std::int32_t> c(n), y(n);
  for (int i = 0; i < n; ++i) {
    x1[i] = static_cast<double>(random() % 5000);
    x2[i] = static_cast<double>(random() % 20);
    c[i] = static_cast<std::int32_t>(random() % 6);
    y[i] = (x1[i] > 2000) ^ (c[i] % 2) ^ (random() % 10 == 0);
    if (with_missing && random() % 10 == 0) x1[i] = kNaN;
    if (with_missing && random() % 10 == 0) c[i] = -1;
  }
  Params params;
  params.missing = missing;
  params.criterion = criterion;
  params.min_branch_weight = 5;
  const std::vector<ColumnView> columns{numbers(x1), numbers(x2), codes(c, 6)};
  const TreeArrays one = grow({columns, y, 2, {}}, params, 1);
  const TreeArrays two = grow({columns, y, 2, {}}, params, 2);
  CHECK(one.kind == two.kind && one.attribute == two.attribute);
  CHECK(one.class_weights == two.class_weights && one.levels == two.levels);
  CHECK(one.kind.size() > 100);
}

TEST(threads_do_not_matter_with_gini) {
  check_threads_do_not_matter(Missing::MostCommon, Criterion::Gini, false);
}

TEST(threads_do_not_matter_with_missing_values_as_the_most_common) {
  check_threads_do_not_matter(Missing::MostCommon, Criterion::Gini, true);
}

TEST(threads_do_not_matter_with_missing_values_by_class) {
  check_threads_do_not_matter(Missing::MostCommonInClass, Criterion::InformationGain, true);
}

TEST(threads_do_not_matter_with_a_branch_of_missing_values) {
  check_threads_do_not_matter(Missing::Branch, Criterion::Gini, true);
}

TEST(threads_do_not_matter_with_fractional_rows) {
  check_threads_do_not_matter(Missing::Fractional, Criterion::GainRatio, true);
}

namespace {

// Which columns the nodes of a tree are split on, in the order of the nodes.
std::vector<std::int32_t> columns_of(const Params& params) {
  const int n = 64;
  std::vector<double> x(n), z(n);
  std::vector<std::int32_t> c(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 8;
    z[i] = i / 8;
    c[i] = i % 3;
    y[i] = (i % 8 > 3) ^ (i / 8 > 3);
  }
  const std::vector<ColumnView> columns{numbers(x), numbers(z), codes(c, 3)};
  std::vector<std::int32_t> found;
  for (const std::int32_t column : grow({columns, y, 2, {}}, params, 1).attribute)
    if (column >= 0) found.push_back(column);
  return found;
}

bool has(const std::vector<std::int32_t>& columns, std::int32_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

TEST(forbidden_columns_are_not_split_on) {
  Params params;
  params.forbidden = {0, 2};
  CHECK(columns_of(params) == std::vector<std::int32_t>(columns_of(params).size(), 1));
}

TEST(the_first_column_is_that_of_the_root_and_the_next_that_of_its_children) {
  Params params;
  params.first = {2, 1};
  const auto columns = columns_of(params);
  CHECK(columns[0] == 2 && columns[1] == 1 && columns[2] == 1);
}

TEST(columns_of_different_groups_are_not_on_one_path) {
  Params params;
  params.interactions = {{0, 2}, {1}};
  params.first = {1};
  CHECK(columns_of(params) == std::vector<std::int32_t>(columns_of(params).size(), 1));
  params.first = {2};
  CHECK(has(columns_of(params), 0) && !has(columns_of(params), 1));
}
