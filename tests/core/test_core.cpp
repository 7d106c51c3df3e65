// The engine's own tests: what can be checked without Python.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/team.h"
#include "grow/grow.h"
#include "predict/predict.h"
#include "stats/chi_square.h"
#include "stats/criterion.h"
#include "table/training_table.h"

using namespace plaintree;

namespace {

int n_failed = 0;

void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::printf("line %d: does not hold: %s\n", line, what);
  ++n_failed;
}
#define CHECK(condition) check((condition), #condition, __LINE__)

bool near(double a, double b, double tolerance = 1e-12) { return std::fabs(a - b) <= tolerance; }

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

ColumnView numbers(const std::vector<double>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(double),
          ColumnView::Type::Float64, 0};
}
ColumnView numbers(const std::vector<float>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(float),
          ColumnView::Type::Float32, 0};
}
ColumnView codes(const std::vector<std::int32_t>& values, int n_categories) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(std::int32_t),
          ColumnView::Type::Codes, n_categories};
}

TrainingTable table_of(const std::vector<ColumnView>& columns,
                       const std::vector<std::int32_t>& classes, const Params& params = {},
                       const std::vector<double>& weights = {}) {
  Watch watch;
  Team team(2, watch);
  return make_training_table({columns, classes, 2, weights}, params, false, team);
}

TreeView view_of(const TreeArrays& tree, int n_classes) {
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

// ---------------------------------------------------------------- parts

void entropy_and_gini() {
  const XLogX x_log_x(100);
  Params params;
  params.criterion = Criterion::InformationGain;
  const Measure entropy{&params, 2, 1.0, &x_log_x};
  const std::int32_t tennis[] = {9, 5};
  CHECK(near(entropy.information(tennis, 14) / 14, 0.940285958670631, 1e-12));
  Params gini_params;
  const Measure gini{&gini_params, 2, 1.0, &x_log_x};
  const std::int32_t counts[] = {1, 5};
  CHECK(near(gini.information(counts, 6) / 6, 10.0 / 36));
  CHECK(XLogX::compute(0) == 0 && XLogX::compute(2) == 2);
}

void chi_square() {
  const std::vector<double> table{10, 20, 20, 10};  // statistic 6.667, one degree of freedom
  CHECK(near(chi_square_p(table, 2), 0.009823274507519235, 1e-12));
  const std::vector<double> one_row{3, 4, 0, 0};
  CHECK(chi_square_p(one_row, 2) == 1.0);
}

void team_runs_every_task_once_and_passes_errors_on() {
  Watch watch;
  Team team(3, watch);
  std::vector<std::atomic<int>> calls(1000);
  team.run(1000, [&](int i, int) { ++calls[i]; });
  for (const auto& n : calls) CHECK(n == 1);
  bool thrown = false;
  try {
    team.run(100, [](int i, int) {
      if (i == 50) throw std::runtime_error("task 50");
    });
  } catch (const std::runtime_error& error) {
    thrown = std::string(error.what()) == "task 50";
  }
  CHECK(thrown);
}

void watch_stops_growing() {
  std::mt19937 random(1);
  std::vector<double> x(200000);
  std::vector<std::int32_t> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(random());
    y[i] = static_cast<std::int32_t>(random() % 2);
  }
  for (const int threads : {1, 2}) {
    bool stopped = false;
    try {
      const std::vector columns{numbers(x), numbers(x)};
      grow({columns, y, 2, {}}, {}, threads, [] { return true; });
    } catch (const Interrupted&) {
      stopped = true;
    }
    CHECK(stopped);
  }
}

// ---------------------------------------------------------------- the training table

void few_values_become_bytes() {
  const std::vector<double> x{0.5, -0.0, kGap, 0.0, -1};
  const TrainingTable table = table_of({numbers(x)}, {0, 1, 0, 1, 0});
  const Column& column = table.columns[0];
  CHECK(column.store == Column::Store::Bytes);
  CHECK((column.least == std::vector<double>{-1, 0, 0.5}));  // -0.0 and 0.0 are one value
  CHECK(column.has_missing);
  CHECK((table.codes.bytes == std::vector<std::uint8_t>{2, 1, 3, 1, 0}));
}

void many_values_are_sorted() {
  std::vector<float> x(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>((i * 377) % 1000 - 500);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  const TrainingTable table = table_of({numbers(x)}, std::vector<std::int32_t>(1000, 1));
  CHECK(table.columns[0].store == Column::Store::Sorted);
  const std::vector<Item>& items = table.sorted[0];
  for (std::size_t i = 0; i + 2 < items.size(); ++i) {
    CHECK(x[table.row(items[i].entry)] < x[table.row(items[i + 1].entry)]);
    CHECK(items[i].rank + 1 == items[i + 1].rank);
  }
  CHECK(table.row(items.back().entry) == 7 && items.back().rank == kMissingRank);
}

void bins_hold_equal_shares() {
  std::vector<double> x(1000);
  for (int i = 0; i < 1000; ++i) x[i] = i;
  Params params;
  params.max_bins = 4;
  const TrainingTable table = table_of({numbers(x)}, std::vector<std::int32_t>(1000, 1), params);
  const Column& column = table.columns[0];
  CHECK(column.store == Column::Store::Bytes && column.n_codes == 4);
  CHECK((column.least == std::vector<double>{0, 250, 500, 750}));
  CHECK((column.greatest() == std::vector<double>{249, 499, 749, 999}));
}

void weights_are_exact_units() {
  const TrainingTable table =
      table_of({numbers(std::vector<double>{1, 2, 3})}, {0, 1, 0}, {}, {0.5, 0, 3});
  CHECK(table.entries.size() == 2);  // rows of weight zero are left out
  CHECK(static_cast<double>(table.weights[0]) * table.unit == 0.5);
  CHECK(static_cast<double>(table.weights[2]) * table.unit == 3);
}

// ---------------------------------------------------------------- growing and predicting

void exclusive_or_is_learnt() {
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

void infinities_are_extremes() {
  const std::vector<double> x{-kInfinity, 0, 1, kInfinity};
  const std::vector<std::int32_t> y{1, 0, 0, 1};
  const std::vector<ColumnView> columns{numbers(x)};
  const TreeArrays tree = grow({columns, y, 2, {}}, {}, 1);
  std::vector<std::int32_t> predicted(4);
  predict_classes(view_of(tree, 2), columns, 4, {}, predicted.data());
  CHECK(predicted == y);
  for (const double t : tree.threshold) CHECK(std::isnan(t) || t < kInfinity);
}

// The same tree for any number of threads; every row finds its own class again.
void threads_do_not_matter(Missing missing, Criterion criterion, bool gaps) {
  std::mt19937 random(7);
  constexpr int n = 30000;
  std::vector<double> x1(n), x2(n);
  std::vector<std::int32_t> c(n), y(n);
  for (int i = 0; i < n; ++i) {
    x1[i] = static_cast<double>(random() % 5000);
    x2[i] = static_cast<double>(random() % 20);
    c[i] = static_cast<std::int32_t>(random() % 6);
    y[i] = (x1[i] > 2000) ^ (c[i] % 2) ^ (random() % 10 == 0);
    if (gaps && random() % 10 == 0) x1[i] = kGap;
    if (gaps && random() % 10 == 0) c[i] = -1;
  }
  Params params;
  params.missing = missing;
  params.criterion = criterion;
  params.min_samples_branch = 5;
  const std::vector<ColumnView> columns{numbers(x1), numbers(x2), codes(c, 6)};
  const TreeArrays one = grow({columns, y, 2, {}}, params, 1);
  const TreeArrays two = grow({columns, y, 2, {}}, params, 2);
  CHECK(one.kind == two.kind && one.attribute == two.attribute);
  CHECK(one.class_weights == two.class_weights && one.levels == two.levels);
  CHECK(one.kind.size() > 100);
}

void long_chains_grow() {
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

}  // namespace

int main() {
  const std::vector<std::function<void()>> tests{
      entropy_and_gini,
      chi_square,
      team_runs_every_task_once_and_passes_errors_on,
      watch_stops_growing,
      few_values_become_bytes,
      many_values_are_sorted,
      bins_hold_equal_shares,
      weights_are_exact_units,
      exclusive_or_is_learnt,
      infinities_are_extremes,
      [] { threads_do_not_matter(Missing::MostCommon, Criterion::Gini, false); },
      [] { threads_do_not_matter(Missing::MostCommon, Criterion::Gini, true); },
      [] { threads_do_not_matter(Missing::MostCommonInClass, Criterion::InformationGain, true); },
      [] { threads_do_not_matter(Missing::Branch, Criterion::Gini, true); },
      [] { threads_do_not_matter(Missing::Fractional, Criterion::GainRatio, true); },
      long_chains_grow,
  };
  int n_broken = 0;
  for (const auto& test : tests) {
    const int before = n_failed;
    test();
    n_broken += n_failed > before;
  }
  std::printf("core: %d passed, %d failed\n", static_cast<int>(tests.size()) - n_broken, n_broken);
  return n_failed > 0;
}
