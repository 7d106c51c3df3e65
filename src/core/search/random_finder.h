// Random splits, of which the best one is chosen (extremely randomised trees, Geurts 2006).
//
// A numeric column gets a threshold drawn uniformly between the least and the greatest value in the
// node, a categorical one a random category or a random set of those in the node. What is drawn is
// a hash of the node's path and the column. Many-way and grouped splits, columns of one value, and
// categories by absolute error are left to the finder of the best split.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.h"
#include "search/categories.h"
#include "search/finder.h"
#include "search/general.h"
#include "search/threshold.h"
#include "stats/median_tree.h"

namespace plaintree {

// A number from `low` to below `high`, by a hash; infinite ends count as the largest double.
inline double between(double low, double high, std::uint64_t hash) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const double from = std::max(low, -kMost), to = std::min(high, kMost);
  const double share = std::ldexp(static_cast<double>(hash >> 11), -53);
  const double drawn = from * (1 - share) + to * share;
  return drawn >= from && drawn < to ? drawn : from;
}

// The draws of a column in a node; those of columns for the node have other keys.
inline std::uint64_t key_of_split(std::uint64_t path, std::uint32_t column) {
  constexpr std::uint64_t kSplits = ~std::uint64_t(0);
  return mix(mix(path, kSplits), column);
}

template <Statistics S>
class RandomFinder : public Finder<S> {
 public:
  using Sum = typename S::Sum;
  using View = NodeView<S>;
  using Scratch = SearchScratch<Sum>;

  explicit RandomFinder(std::unique_ptr<Finder<S>> best) : best_(std::move(best)) {}

  RowRange serves(const Column& /*column*/) const override { return RowRange::all(); }
  bool reads_tables() const override { return best_->reads_tables(); }
  bool knows_monotonic() const override { return true; }
  void prepare(View& view, std::span<const Search> searches, Team* team) override {
    best_->prepare(view, searches, team);
  }

  void find(View& view, std::span<const Search> searches, Scratch& scratch) override {
    for (const Search& search : searches) {
      const Column& column = *search.column;
      const auto number = static_cast<std::uint32_t>(&column - view.table.columns.data());
      const std::uint64_t key = key_of_split(view.path, number);
      const bool drawn = column.numeric ? draw_threshold(view, column, key, scratch, *search.best)
                                        : draw_categories(view, column, key, scratch, *search.best);
      if (!drawn) best_->find(view, {&search, 1}, scratch);
    }
  }

 private:
  static bool by_medians(const View& view) {
    return view.measure.params->criterion == Criterion::AbsoluteError;
  }

  // ------------------------------------------------------------------- numeric columns

  bool draw_threshold(const View& view, const Column& column, std::uint64_t key, Scratch& scratch,
                      Candidate& found) const {
    SortedList list = sorted_list(view, column, scratch);
    if (list.n_known == 0 || list.items[0].rank == list.items[list.n_known - 1].rank) return false;
    found = Candidate{};
    const auto [low, high] = ends(view, column, list);
    double threshold = between(low, high, mix(key, 0));
    const std::uint32_t position = rows_up_to(view, column, list, threshold);
    const Gap gap =
        gap_between_items(view.table, column, list.items[position - 1], list.items[position]);
    if (!(threshold >= gap.low && threshold < gap.high)) threshold = gap.low;  // within a bin
    if (view.measure.params->min_separation > 0 &&
        !(gap.low < gap.high - view.measure.params->min_separation))
      return true;
    if constexpr (std::is_same_v<S, TargetSums>)
      found = by_medians(view) ? scored_by_medians(view, column, list, position, scratch)
                               : scored(view, column, list, position, scratch);
    else
      found = scored(view, column, list, position, scratch);
    list.write_codes(column, found);
    if (!view.measure.params->data_value_thresholds) found.threshold = threshold;
    return true;
  }

  static std::pair<double, double> ends(const View& view, const Column& column,
                                        const SortedList& list) {
    const Item& last = list.items[list.n_known - 1];
    return {gap_between_items(view.table, column, list.items[0], list.items[0]).high,
            gap_between_items(view.table, column, last, last).low};
  }
  // How many known rows have values up to a threshold; of a bin its least value. Both sides have
  // some.
  static std::uint32_t rows_up_to(const View& view, const Column& column, const SortedList& list,
                                  double threshold) {
    const Item* end = list.items + list.n_known;
    const std::uint32_t last = end[-1].rank;
    const Item* high = std::partition_point(list.items, end, [&](const Item& item) {
      return item.rank < last &&
             gap_between_items(view.table, column, item, item).high <= threshold;
    });
    return static_cast<std::uint32_t>(high - list.items);
  }

  Candidate scored(const View& view, const Column& column, const SortedList& list,
                   std::uint32_t position, Scratch& scratch) const {
    auto counts = without_missing(view, scratch.missing, scratch.known);
    if (view.measure.params->counts_rows())
      count_rows(view, list, counts, scratch.cuts.missing_rows);
    CutSearch<Sum> search(view.measure, counts, scratch.cuts, view.monotonic(column));
    if (!search.possible()) return {};
    std::vector<Sum>& low = scratch.cuts.low;
    std::uint32_t low_rows = 0;
    for (std::uint32_t i = 0; i < position; ++i) {
      view.add(low.data(), list.items[i].entry);
      low_rows += view.rows_in(list.items[i].entry);
    }
    search.cut(low.data(), view.statistics.weight(low.data()), low_rows, position, -1, -1);
    return search.finish();
  }

  // Rows, their lower and upper median added up, and twice their distance from the median.
  struct Side {
    std::vector<TargetWeight> rows;
    WideInt weight = 0, twice_median = 0, twice_distance = 0;
    std::uint32_t n_rows = 0;

    Side(const View& view, const Item* begin, const Item* end) {
      for (; begin != end; ++begin) {
        rows.push_back({view.statistics.target_of(begin->entry), view.weight(begin->entry)});
        n_rows += view.rows_in(begin->entry);
      }
      measure();
    }
    void take(const Side& other) {
      rows.insert(rows.end(), other.rows.begin(), other.rows.end());
      n_rows += other.n_rows;
      measure();
    }
    Fraction median() const { return {twice_median, 2}; }

   private:
    void measure() {
      if (rows.empty()) return;
      twice_median = twice_the_median(rows);
      weight = twice_distance = 0;
      for (const TargetWeight& row : rows) {
        const WideInt distance = 2 * static_cast<WideInt>(row.target) - twice_median;
        twice_distance += (distance < 0 ? -distance : distance) * row.weight;
        weight += row.weight;
      }
    }
  };

  // The same by absolute error, whose deviations do not follow from sums.
  Candidate scored_by_medians(const View& view, const Column& column, const SortedList& list,
                              std::uint32_t position, Scratch& scratch) const {
    const Params& params = *view.measure.params;
    auto counts = without_missing(view, scratch.missing, scratch.known);
    if (params.counts_rows()) count_rows(view, list, counts, scratch.cuts.missing_rows);
    const CutSearch<Sum> search(view.measure, counts, scratch.cuts);
    Side low(view, list.items, list.items + position);
    Side high(view, list.items + position, list.items + list.n_known);
    const Side missing(view, list.items + list.n_known, list.items + view.size());
    const bool left_out =
        params.missing == Missing::Fractional || params.missing == Missing::Surrogate;
    const Side all(view, list.items, list.items + (left_out ? list.n_known : view.size()));
    if (search.imputes()) (2 * low.weight >= counts.known_total ? low : high).take(missing);
    const Monotonic monotonic = view.monotonic(column);
    if (!search.possible() || !search.admissible(low.weight, low.n_rows)) return {};
    if (monotonic.sign != 0 && !monotonic.allows(low.median(), high.median())) return {};
    WideInt twice_removed = all.twice_distance - low.twice_distance - high.twice_distance;
    if (!left_out && !search.imputes()) twice_removed -= missing.twice_distance;
    Candidate result;
    result.valid = true;
    result.kind = NodeKind::Threshold;
    result.position = position;
    result.score.gain = static_cast<double>(twice_removed) / static_cast<double>(view.total) *
                        (view.measure.target_unit / 2) / view.impurity;
    result.score.value = result.score.gain;
    return result;
  }

  // ------------------------------------------------------------------- categories

  bool draw_categories(const View& view, const Column& column, std::uint64_t key, Scratch& scratch,
                       Candidate& found) const {
    const Params& params = *view.measure.params;
    const bool two_sides =
        params.categorical == Categorical::Subset || params.categorical == Categorical::OneVsRest;
    if (!two_sides || by_medians(view)) return false;
    values_of(view, column, scratch);
    if (params.missing == Missing::MostCommon || params.missing == Missing::MostCommonInClass)
      scratch.values.impute(params.missing == Missing::MostCommonInClass);
    if (scratch.values.size() < 2) return false;
    found = CategorySearch<Sum>(view.measure, scratch.values).drawn(key);
    return true;
  }

  std::unique_ptr<Finder<S>> best_;
};

}  // namespace plaintree
