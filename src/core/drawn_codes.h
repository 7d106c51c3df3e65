// The codes of a node's rows in the columns that it has drawn, where it searches them by buckets
// (see gini_buckets.h): their upper bits, in the order of the rows, gathered once for the search
// and the cut after it.
//
// Fetching a row takes more time than all that is done with its codes. Where the codes of a row lie
// side by side, it is fetched once for several columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate_gini.h"

namespace plaintree {

class DrawnCodes {
 public:
  // Begins a node that searches no column by buckets.
  void clear() { n_drawn_ = 0; }

  // Begins a node: columns that lie row by row are gathered now, others when they are searched.
  void start(const NodeView<std::int32_t>& view, std::span<const int> drawn) {
    n_drawn_ = drawn.size();
    if (columns_.size() < n_drawn_) columns_.resize(n_drawn_);
    by_row_.clear();
    for (std::size_t i = 0; i < n_drawn_; ++i) {
      const Column& column = view.table.columns[drawn[i]];
      UpperCodes& own = columns_[i];
      own.gathered =
          cut_by_buckets(view, column) && !view.codes().by_column(column, view.open.size());
      if (!own.gathered) continue;
      own.resize(view.open.size());
      by_row_.push_back({static_cast<std::size_t>(column.position), own.codes.data()});
    }
    const std::span<const Place> places = by_row_;
    for (std::size_t i = 0; i < places.size(); i += kTogether)
      gather(view, places.subspan(i, std::min(kTogether, places.size() - i)));
  }

  // The codes of the i-th drawn column; not gathered yet where it lies by itself.
  UpperCodes* at(std::size_t i) { return i < n_drawn_ ? &columns_[i] : nullptr; }

  // The same once it is searched; null where it was not searched by buckets.
  const std::uint16_t* found(std::size_t i) const {
    return i < n_drawn_ && columns_[i].gathered ? columns_[i].codes.data() : nullptr;
  }

 private:
  struct Place {
    std::size_t in_row;
    std::uint16_t* to;
  };
  static constexpr std::size_t kTogether = 4;

  static void gather(const NodeView<std::int32_t>& view, std::span<const Place> places) {
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
      from[k] = view.codes().wide_rows.upper.data() + places[k].in_row;
      to[k] = places[k].to;
    }
    const EntryBits bits = view.table;
    const std::size_t width = view.codes().n_wide;
    const Entry* entries = view.begin();
    for (std::uint32_t i = 0, n = view.open.size(); i < n; ++i) {
      const std::size_t row = bits.row(entries[i]) * width;
      for (std::size_t k = 0; k < kColumns; ++k) to[k][i] = from[k][row];
    }
  }

  std::vector<UpperCodes> columns_;
  std::size_t n_drawn_ = 0;
  std::vector<Place> by_row_;
};

}  // namespace plaintree
