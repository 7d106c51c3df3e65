// The best cut of a sorted list, by the general rules of cuts.h.
#pragma once

#include <cstdint>
#include <vector>

#include "search/cuts.h"
#include "search/node_view.h"

namespace plaintree {

// The items of one node in one column: known ones in ascending order, then missing ones.
template <Statistics S>
struct ItemRange {
  const NodeView<S>& view;
  const Column& column;
  const Item* items;
  std::uint32_t n_known;

  // Items are sorted: all are equal if the first and the last one are.
  bool all_equal() const { return n_known > 0 && items[0].rank == items[n_known - 1].rank; }
  bool wide_enough(std::uint32_t last_low, double min_separation) const {
    if (min_separation <= 0) return true;
    const Item &a = items[last_low], &b = items[last_low + 1];
    return greatest(a) < least(b) - min_separation;
  }

 private:
  double value(const Item& item) const { return column.view.number(view.table.row(item.entry)); }
  double least(const Item& item) const {
    return column.least.empty() ? value(item) : column.least[item.rank];
  }
  double greatest(const Item& item) const {
    return column.least.empty() ? value(item) : column.greatest()[item.rank];
  }
};

// Feeds a search that rejects most cuts before anything else about them is looked at.
template <Statistics S>
void scan_bounded(const ItemRange<S>& range, CutSearch<typename S::Sum>& search,
                  std::vector<typename S::Sum>& low) {
  const Item* items = range.items;
  const double gap = range.view.measure.params->min_separation;
  const bool counts_rows = range.view.measure.params->counts_rows();
  std::uint32_t low_rows = 0;
  for (std::uint32_t i = 0; i + 1 < range.n_known; ++i) {
    range.view.add(low.data(), items[i].entry);
    if (counts_rows) low_rows += range.view.rows_in(items[i].entry);
    if (search.falls_short(low.data())) [[likely]]
      continue;
    if (items[i].rank == items[i + 1].rank || !range.wide_enough(i, gap)) continue;
    search.cut(low.data(), low[0] + low[1], low_rows, i + 1, -1, -1);
  }
}

// Feeds a search group by group.
template <Statistics S>
void scan_targets(const ItemRange<S>& range, CutSearch<typename S::Sum>& search,
                  std::vector<typename S::Sum>& low) {
  const Item* items = range.items;
  const double gap = range.view.measure.params->min_separation;
  std::uint32_t low_rows = 0;
  for (std::uint32_t i = 0; i + 1 < range.n_known; ++i) {
    range.view.add(low.data(), items[i].entry);
    low_rows += range.view.rows_in(items[i].entry);
    if (items[i].rank == items[i + 1].rank || !range.wide_enough(i, gap)) continue;
    search.cut(low.data(), low[0], low_rows, i + 1, -1, -1);
  }
}

// Feeds a search that need not score cuts within stretches of one class.
template <Statistics S>
Candidate scan_classes(const ItemRange<S>& range, CutSearch<typename S::Sum>& search,
                       CutScratch<typename S::Sum>& scratch) {
  using Count = typename S::Sum;
  if (search.is_bounded()) {
    scan_bounded(range, search, scratch.low);
    return search.finish();
  }
  const Item* items = range.items;
  const Params& params = *range.view.measure.params;
  const double gap = params.min_separation;
  const bool skips = search.skips_uniform_stretches(), counts_rows = params.counts_rows();
  std::vector<Count>& low = scratch.low;
  Count low_total = 0, group_total = 0;
  std::uint32_t low_rows = 0;
  // A cut not scored yet: all groups since `uniform` began are of that one class.
  bool pending = false, any_scored = false;
  std::uint32_t pending_position = 0;
  int uniform = -1;      // the class of the group before, if it had only one
  int group_class = -1;  // the class of the group so far; -2: several

  const auto score_pending = [&] {  // the group so far is taken off again while it is scored
    if (group_total > 0) low[uniform] -= group_total;
    search.score_cut(low.data(), low_total - group_total, pending_position, -1, -1);
    if (group_total > 0) low[uniform] += group_total;
    pending = false;
    any_scored = true;
  };
  for (std::uint32_t i = 0; i + 1 < range.n_known; ++i) {
    const int c = range.view.statistics.class_of(items[i].entry);
    if (pending && c != uniform) score_pending();
    const Count w = range.view.weight(items[i].entry);
    range.view.statistics.add(low.data(), items[i].entry, w);
    low_total += w;
    if (counts_rows) low_rows += range.view.rows_in(items[i].entry);
    group_total += w;
    group_class = group_class == -1 || group_class == c ? c : -2;
    // Values too near to be cut apart are one group.
    if (items[i].rank == items[i + 1].rank || !range.wide_enough(i, gap)) continue;
    const std::uint32_t position = i + 1;
    if (!skips) {
      search.cut(low.data(), low_total, low_rows, position, -1, -1);
    } else {
      const bool allowed = search.admissible(low_total, low_rows);
      if (pending && !allowed) score_pending();  // the last admissible cut of a stretch
      pending = allowed;
      group_total = 0;
      if (allowed) {
        search.count_cut();
        uniform = group_class;
        pending_position = position;
        if (!any_scored || group_class < 0) score_pending();
      }
    }
    group_total = 0;
    group_class = -1;
  }
  if (pending) score_pending();
  return search.finish();
}

// Feeds a search from a sorted list.
template <Statistics S>
Candidate scan_items(const ItemRange<S>& range, const KnownAndMissing<typename S::Sum>& counts,
                     CutScratch<typename S::Sum>& scratch) {
  using Count = typename S::Sum;
  const MeasureOf<Count>& measure = range.view.measure;
  CutSearch<Count> search(measure, counts, scratch, range.view.monotonic(range.column));
  if (range.all_equal()) {
    search.against_missing(range.n_known, -1);
    return search.finish();
  }
  if (range.n_known < 2 || !search.possible()) return {};
  if constexpr (!SumsOf<Count>::kClasses) {
    scan_targets(range, search, scratch.low);
    return search.finish();
  } else {
    return scan_classes(range, search, scratch);
  }
}

}  // namespace plaintree
