// The finders for squared error against the general one, on nodes full of ties: the same cut, the
// same score.
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "grow/target_facts.h"
#include "search/finders.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

// `n_targets` different targets from `offset` on; few of them make ties.
struct Case {
  int n_rows;
  int n_targets;
  double offset = 0;
  bool weighted = false;
  int one_missing_in = 0;  // 0: none
};

bool same_split(const Candidate& a, const Candidate& b, const Column& column) {
  if (a.valid != b.valid) return false;
  if (!a.valid) return true;
  const bool same_place = column.store == Column::Store::Sorted
                              ? a.position == b.position
                              : a.code == b.code && a.next_code == b.next_code;
  const bool same_sums = a.low_weight == b.low_weight && a.low_sum == b.low_sum;
  return same_place && same_sums && a.kind == b.kind && a.score.value == b.score.value;
}

// All rows of a table are the node. Returns how many columns the finder has split.
template <class F>
int compare(std::uint32_t seed, const Case& with, const Params& params) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<std::vector<double>> values;
  std::vector<double> targets, weights;
  for (const int n_values : {3, 40, 1000, 1 << 20}) {
    values.emplace_back();
    for (int i = 0; i < with.n_rows; ++i) {
      const bool missing = with.one_missing_in > 0 && below(with.one_missing_in) == 0;
      values.back().push_back(missing ? kNaN : below(n_values));
    }
  }
  for (int i = 0; i < with.n_rows; ++i) {
    targets.push_back(with.offset + below(with.n_targets));
    if (with.weighted) weights.push_back((1 + below(8)) / 4.0);
  }
  std::vector<ColumnView> columns;
  for (const auto& column : values) columns.push_back(numbers(column));
  Watch watch;
  Team team(1, watch);
  const bool repeats = seed % 2 == 1;
  const TrainingTable table =
      make_training_table({columns, {}, 0, weights, targets}, params, repeats ? 1 : 0, team);

  Rows<WideInt> rows;
  std::vector<Entry> of_row(table.n_rows);
  for (const Entry e : table.entries) {  // some rows several times
    const Entry more = table.repeat_bits > 0 ? static_cast<Entry>(below(3)) : 0;
    of_row[table.row(e)] = e | more << table.class_bits;
    rows.entries.push_back(of_row[table.row(e)]);
  }
  for (const auto& list : table.sorted) {
    rows.sorted.emplace_back();
    for (const Item& item : list)
      rows.sorted.back().push_back({of_row[table.row(item.entry)], item.rank});
  }
  const TargetSums statistics(table, table.targets.data());
  const TargetMeasure all{&params, table.unit, table.target_unit};
  const std::int64_t* weight_of = table.weights.empty() ? nullptr : table.weights.data();
  std::vector<WideInt> sums(2, 0);
  const auto each_row = [&](auto use) {
    for (const Entry e : rows.entries)
      use(statistics.target_of(e), weight_of ? weight_of[table.row(e)] : table.times(e));
  };
  each_row([&](std::int64_t target, std::int64_t weight) {
    sums[0] += weight;
    sums[1] += static_cast<WideInt>(target) * weight;
  });
  const TargetFacts facts = target_facts(all, sums.data(), each_row);
  if (facts.impurity == 0) return 0;
  const TargetMeasure measure = all.of_node(sums.data(), facts.impurity, facts.range);
  const NodeView<TargetSums> view{table,   statistics,   measure,       rows,
                                  0,       table.n_rows, table.codes,   sums.data(),
                                  sums[0], weight_of,    facts.impurity};
  F finder(table, measure);
  GeneralFinder<TargetSums> general;
  SearchScratch<WideInt> scratch;
  int n_cut = 0;
  for (const Column& column : table.columns) {
    if (!finder.serves(column).holds(view.size())) continue;
    Candidate found, expected;
    const Search search{&column, &found, 0};
    NodeView<TargetSums> own = view;
    finder.prepare(own, {&search, 1}, nullptr);
    finder.find(own, {&search, 1}, scratch);
    expected = scan_list(view, column, sorted_list(view, column, scratch), scratch);
    CHECK(same_split(found, expected, column));
    n_cut += expected.valid;
  }
  return n_cut;
}

template <class F>
int compare_on_many(const std::vector<int>& n_rows) {
  int n_cut = 0;
  for (std::uint32_t seed = 0; seed < 12; ++seed)
    for (const int n : n_rows)
      for (const int n_targets : {2, 5, 100000})
        for (const double offset : {0.0, -7.0, 1e12})
          for (const bool weighted : {false, true})
            for (const int one_missing_in : {0, 5}) {
              Params params;
              params.criterion = Criterion::SquaredError;
              params.columns_per_node = seed % 4 < 2 ? 0 : 2;
              params.missing = seed % 3 == 0 ? Missing::Branch : Missing::MostCommon;
              params.min_branch_weight = seed % 5 == 0 ? 3 : 0;
              n_cut += compare<F>(seed, {n, n_targets, offset, weighted, one_missing_in}, params);
            }
  return n_cut;
}

}  // namespace

TEST(few_targets_are_cut_like_by_the_general_finder) {
  CHECK(compare_on_many<FewTargets>({2, 3, 4, 7, 32}) > 3000);
}

TEST(lists_of_targets_are_cut_like_by_the_general_finder) {
  CHECK(compare_on_many<TargetLists>({2, 3, 16, 17, 300, 700}) > 1000);
}
