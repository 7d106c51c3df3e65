// The buckets (see gini_buckets.h) of the columns that a node has drawn. Their codes are gathered
// once, for counting, for searching, and for the cut.
//
// Fetching a row takes more time than all that is done with its codes. Where the codes of a row lie
// side by side, it is fetched once for several columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "search/gini/codes.h"

namespace plaintree {

class DrawnBuckets {
 public:
  // Begins a node: there are no buckets yet.
  void clear() { used_.clear(); }

  // Gathers the codes of columns that lie row by row.
  void gather(const NodeView<std::int32_t>& view, std::span<const int> drawn) {
    used_.assign(drawn.size(), false);
    if (columns_.size() < drawn.size()) columns_.resize(drawn.size());
    by_row_.clear();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const Column& column = view.table.columns[drawn[i]];
      used_[i] = cut_by_buckets(view, column);
      if (!used_[i] || view.codes().by_column(column, view.open.size())) continue;
      make_room(columns_[i].uppers, view.open.size());
      by_row_.push_back({static_cast<std::size_t>(column.position), columns_[i].uppers.data()});
    }
    const std::span<const Place> places = by_row_;
    for (std::size_t i = 0; i < places.size(); i += kTogether)
      gather_rows(view, places.subspan(i, std::min(kTogether, places.size() - i)));
  }

  // Counts the buckets of the i-th drawn column, if it has any.
  void count(const NodeView<std::int32_t>& view, int drawn, std::size_t i) {
    if (!used_[i]) return;
    Buckets& buckets = columns_[i];
    const Column& column = view.table.columns[drawn];
    const std::span<const Entry> entries{view.begin(), view.end()};
    const int tag_bits = view.table.class_bits + view.table.repeat_bits;
    if (const SplitCodes* codes = view.codes().by_column(column, view.open.size()))
      buckets.count(entries, tag_bits,
                    static_cast<std::uint32_t>(column.n_codes) >> codes->lower_bits(),
                    [from = codes->uppers(0)](std::uint32_t row) { return from[row]; });
    else
      buckets.count(entries, tag_bits);
    buckets.find_best_between(GiniOfTwo(view.counts, least_rows(view.measure)));
  }

  // What the best cut between buckets gains, in any column.
  double best_gain(const NodeView<std::int32_t>& view) const {
    double best = -kInfinity;
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (used_[i]) best = std::max(best, columns_[i].best_between);
    return GiniOfTwo(view.counts, least_rows(view.measure)).gain_of(best);
  }

  // The buckets of the i-th drawn column, or null.
  const Buckets* at(std::size_t i) const {
    return i < used_.size() && used_[i] ? &columns_[i] : nullptr;
  }

 private:
  struct Place {
    std::size_t in_row;
    std::uint16_t* to;
  };
  static constexpr std::size_t kTogether = 4;

  static void gather_rows(const NodeView<std::int32_t>& view, std::span<const Place> places) {
    switch (places.size()) {
      case 1:
        return gather_some<1>(view, places);
      case 2:
        return gather_some<2>(view, places);
      case 3:
        return gather_some<3>(view, places);
      default:
        return gather_some<kTogether>(view, places);
    }
  }

  template <std::size_t kColumns>
  static void gather_some(const NodeView<std::int32_t>& view, std::span<const Place> places) {
    const std::uint16_t* from[kColumns];
    std::uint16_t* to[kColumns];
    for (std::size_t k = 0; k < kColumns; ++k) {
      from[k] = view.codes().wide_rows.uppers(places[k].in_row);
      to[k] = places[k].to;
    }
    const EntryBits bits = view.table;
    const std::size_t stride = view.codes().wide_rows.stride();
    const Entry* entries = view.begin();
    for (std::uint32_t i = 0, n = view.open.size(); i < n; ++i) {
      const std::size_t row = bits.row(entries[i]) * stride;
      for (std::size_t k = 0; k < kColumns; ++k) to[k][i] = from[k][row];
    }
  }

  std::vector<Buckets> columns_;  // drawn ones; there may be room for more
  std::vector<char> used_;        // of these
  std::vector<Place> by_row_;
};

}  // namespace plaintree
