// The scan for squared error against a scan that scores every cut: the same cut, the same score.
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "grow/target_facts.h"
#include "search/general.h"
#include "search/target_scan.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

// `n_targets` different targets from `offset` on; few of them make ties.
struct Case {
  int n_targets;
  double offset;
  bool weighted;
  double min_branch_weight;
};

// Returns whether there is a cut.
bool compare(std::uint32_t seed, const Case& with) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int n_rows = 300 + below(300);
  std::vector<double> values, targets, weights;
  for (int i = 0; i < n_rows; ++i) {
    values.push_back(below(1000));
    targets.push_back(with.offset + below(with.n_targets));
    if (with.weighted) weights.push_back((1 + below(8)) / 4.0);
  }
  Params params;
  params.criterion = Criterion::SquaredError;
  params.min_branch_weight = with.min_branch_weight;
  Watch watch;
  Team team(1, watch);
  const std::vector<ColumnView> columns{numbers(values)};
  const TrainingTable table =
      make_training_table({columns, {}, 0, weights, targets}, params, false, team);
  const Column& column = table.columns[0];
  CHECK(column.store == Column::Store::Sorted);

  Rows<WideInt> rows;
  rows.entries.assign(table.entries.begin(), table.entries.end());
  rows.sorted = {{table.sorted[0].begin(), table.sorted[0].end()}};
  const TargetSums statistics(table, table.targets.data());
  const TargetMeasure all{&params, table.unit, table.target_unit};
  const std::int64_t* weight_of = table.weights.empty() ? nullptr : table.weights.data();
  std::vector<WideInt> sums(2, 0);
  const auto each_row = [&](auto use) {
    for (const Entry e : rows.entries)
      use(statistics.target_of(e), weight_of ? weight_of[table.row(e)] : 1);
  };
  each_row([&](std::int64_t target, std::int64_t weight) {
    sums[0] += weight;
    sums[1] += static_cast<WideInt>(target) * weight;
  });
  const TargetFacts facts = target_facts(all, sums.data(), each_row);
  const TargetMeasure measure = all.of_node(sums.data(), facts.impurity, facts.range);
  const NodeView<TargetSums> view{table,   statistics,   measure,       rows,
                                  0,       table.n_rows, table.codes,   sums.data(),
                                  sums[0], weight_of,    facts.impurity};
  SearchScratch<WideInt> scratch;
  const SortedList list = sorted_list(view, column, scratch);
  const auto counts = without_missing(view, scratch.missing, scratch.known);
  CHECK(TargetScan::fits(params, counts));
  const ItemRange<TargetSums> range{view, column, list.items, list.n_known};
  const Candidate found = scan_squares(range, counts, scratch.cuts);
  CutSearch<WideInt> search(measure, counts, scratch.cuts);
  scan_targets(range, search, scratch.cuts.low);
  const Candidate expected = search.finish();
  CHECK(found.valid == expected.valid);
  if (!expected.valid) return false;
  CHECK(found.position == expected.position && found.score.value == expected.score.value);
  return true;
}

}  // namespace

TEST(squared_error_is_cut_like_by_a_scan_of_all_cuts) {
  int n_cut = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed)
    for (const int n_targets : {2, 5, 100000})
      for (const double offset : {0.0, -7.0, 1e12})
        for (const bool weighted : {false, true})
          n_cut += compare(seed, {n_targets, offset, weighted, seed % 3 == 0 ? 20.0 : 0.0});
  CHECK(n_cut > 700);
}
