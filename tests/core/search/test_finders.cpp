// Each finder against the general one, on random nodes full of ties: the same cut, the same score.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "search/count/byte_counts.h"
#include "search/finders.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

// A table of numeric columns of so many values each, and nodes of some of its rows. One value in
// `one_missing_in` is missing; 0: none.
class RandomNodes {
 public:
  RandomNodes(std::uint32_t seed, int n_rows, int n_classes, const std::vector<int>& n_values,
              const Params& params, int one_missing_in)
      : random_(seed), params_(params), n_classes_(n_classes) {
    for (const int n : n_values) {
      values_.emplace_back();
      for (int i = 0; i < n_rows; ++i) {
        const bool missing = one_missing_in > 0 && below(one_missing_in) == 0;
        values_.back().push_back(missing ? kNaN : static_cast<double>(below(n)));
      }
    }
    for (const auto& values : values_) columns_.push_back(numbers(values));
    for (int i = 0; i < n_rows; ++i) classes_.push_back(below(n_classes));
    Watch watch;
    Team team(1, watch);
    table = make_training_table({columns_, classes_, n_classes, {}}, params_, 0, team);
    measure = {&params_, n_classes, 1.0, &x_log_x_};
  }

  // Calls use(view) for a node of some rows, with the count tables of all byte columns.
  template <class Use>
  void with_node(Use use) {
    const RowCounts statistics(table, table.class_bits ? nullptr : table.classes.data(),
                               n_classes_);
    std::vector<char> chosen(table.n_rows);
    const int one_in = 1 + below(20);
    for (char& c : chosen) c = below(one_in) == 0;
    Rows<std::int32_t> rows;
    for (const Entry e : table.entries)
      if (chosen[table.row(e)]) rows.entries.push_back(e);
    for (const auto& list : table.sorted) {
      rows.sorted.emplace_back();
      for (const Item& item : list)
        if (chosen[table.row(item.entry)]) rows.sorted.back().push_back(item);
    }
    const auto n = static_cast<std::uint32_t>(rows.entries.size());
    if (n < 2) return;
    std::vector<std::int32_t> sums(n_classes_, 0);
    for (const Entry e : rows.entries) statistics.add(sums.data(), e, 1);
    if (statistics.is_pure(sums.data())) return;
    const auto total = static_cast<std::int32_t>(n);
    NodeView<RowCounts> view{table,       statistics,  measure, rows,    0, n,
                             table.codes, sums.data(), total,   nullptr, 0};
    view.impurity = measure.information(sums.data(), total) / measure.weight(total);
    ByteCounts<RowCounts> counter(table, statistics, nullptr);
    std::vector<const Column*> counted;
    for (const Column& column : table.columns)
      if (column.store == Column::Store::Bytes) counted.push_back(&column);
    std::vector<std::int32_t> tables = counter.room();
    counter.count_drawn(view, counted, tables.data());
    view.tables = tables.data();
    use(view);
  }

  TrainingTable table;
  Measure measure{};

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::mt19937 random_;
  Params params_;
  int n_classes_;
  XLogX x_log_x_;
  std::vector<std::vector<double>> values_;
  std::vector<ColumnView> columns_;
  std::vector<std::int32_t> classes_;
};

bool same_split(const Candidate& a, const Candidate& b, const Column& column) {
  if (a.valid != b.valid) return false;
  if (!a.valid) return true;
  const bool same_place = column.store == Column::Store::Sorted
                              ? a.position == b.position
                              : a.code == b.code && a.next_code == b.next_code;
  return same_place && a.kind == b.kind && a.score.value == b.score.value;
}

// Returns how many columns the finder has searched.
template <class F>
int compare(RandomNodes& nodes) {
  F finder(nodes.table, nodes.measure);
  GeneralFinder<RowCounts> general;
  SearchScratch<std::int32_t> scratch;
  int n_searched = 0;
  nodes.with_node([&](NodeView<RowCounts>& view) {
    if (finder.starts() && !finder.start(view)) return;
    for (const Column& column : nodes.table.columns) {
      if (!finder.serves(column).holds(view.size())) continue;
      Candidate found, expected;
      const Search search{&column, &found, 0}, again{&column, &expected, 0};
      NodeView<RowCounts> own = view, other = view;
      finder.prepare(own, {&search, 1}, nullptr);
      const double bound = own.bound;
      finder.find(own, {&search, 1}, scratch);
      general.find(other, {&again, 1}, scratch);
      // What does not reach the bound may be left out.
      const bool left_out = !found.valid && expected.valid && expected.score.value < bound;
      CHECK(left_out || same_split(found, expected, column));
      ++n_searched;
    }
  });
  return n_searched;
}

template <class F>
void compare_on_many(const Params& params, const std::vector<int>& n_values, int n_rows,
                     const std::vector<int>& class_numbers, int one_missing_in = 0) {
  int n_searched = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const int n_classes = class_numbers[seed % class_numbers.size()];
    RandomNodes nodes(seed, n_rows, n_classes, n_values, params, one_missing_in);
    for (int i = 0; i < 4; ++i) n_searched += compare<F>(nodes);
  }
  CHECK(n_searched > 100);
}

Params drawn(double min_branch_weight = 1) {
  Params params;
  params.columns_per_node = 2;
  params.min_branch_weight = min_branch_weight;
  return params;
}

}  // namespace

TEST(missing_values_are_cut_like_by_the_general_finder) {
  for (const int one_in : {2, 10, 100}) {
    compare_on_many<FewRows>(drawn(), {3, 40, 5000}, 90, {2, 3, 9}, one_in);
    compare_on_many<BucketFinder>(drawn(), {600, 5000, 1 << 20}, 3000, {2}, one_in);
    compare_on_many<BucketFinder>(drawn(20), {600, 1 << 20}, 3000, {2}, one_in);
    compare_on_many<KeyFinder>(drawn(5), {200, 900, 1 << 20}, 1500, {2, 3, 12}, one_in);
    compare_on_many<ListFinder>({}, {400, 5000, 1 << 20}, 1500, {2, 3, 12}, one_in);
    Params apart = drawn();
    apart.missing = Missing::Branch;
    compare_on_many<FewRows>(apart, {3, 40, 5000}, 90, {2, 3, 9}, one_in);
    compare_on_many<KeyFinder>(apart, {200, 900, 1 << 20}, 1500, {2, 3, 12}, one_in);
  }
}

TEST(few_rows_cut_like_the_general_finder) {
  compare_on_many<FewRows>(drawn(), {2, 2, 5, 40, 5000}, 90, {2, 3, 9, 20});
  compare_on_many<FewRows>(drawn(3), {2, 7, 5000}, 90, {2, 5});
}

TEST(buckets_cut_like_the_general_finder) {
  compare_on_many<BucketFinder>(drawn(), {600, 5000, 1 << 20}, 3000, {2});
  compare_on_many<BucketFinder>(drawn(20), {600, 1 << 20}, 3000, {2});
}

TEST(keys_cut_like_the_general_finder) {
  compare_on_many<KeyFinder>(drawn(), {200, 900, 1 << 20}, 1500, {2, 3, 12});
}

TEST(counts_cut_like_the_general_finder) {
  compare_on_many<CountFinder>({}, {2, 3, 30, 200}, 900, {2, 3, 12});
  compare_on_many<CountFinder>(drawn(4), {2, 3, 30}, 900, {2, 7});
}

TEST(lists_are_cut_like_the_general_finder) {
  compare_on_many<ListFinder>({}, {400, 5000, 1 << 20}, 1500, {2, 3, 12});
}
