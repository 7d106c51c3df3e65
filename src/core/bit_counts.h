// Counting the ones of columns of two codes, of which a row has a bit each: several columns at
// once.
//
//   lanes   numbers that are compared and added together. Every other lane looks at the low half of
//           a row's bits, and those between at the high half
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "row_codes.h"

namespace plaintree {

template <class Count>
class BitCounts {
 public:
  // Counts these columns from now on.
  void choose(std::span<const Column* const> columns, int n_classes) {
    masks_.clear();
    places_.clear();
    std::size_t n_of_half[2] = {0, 0};
    for (const Column* column : columns) {
      const std::size_t half = column->bit >= 32, place = 2 * n_of_half[half]++ + half;
      if (place / kLanes >= masks_.size()) masks_.resize(place / kLanes + 1, Lanes{});
      masks_[place / kLanes].of[place % kLanes] = Count(1u << (column->bit & 31));
      places_.push_back(place);
    }
    ones_.assign(masks_.size() * static_cast<std::size_t>(n_classes), Lanes{});
  }

  // A row by its bits, its class and what it counts.
  void add(std::uint64_t bits, int of_class, Count weight) {
    const Count halves[2] = {static_cast<Count>(static_cast<std::uint32_t>(bits)),
                             static_cast<Count>(static_cast<std::uint32_t>(bits >> 32))};
    const std::size_t width = masks_.size();
    const Lanes* masks = masks_.data();
    Lanes* ones = ones_.data() + of_class * width;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        ones[i].of[lane] += weight & -Count((halves[lane % 2] & masks[i].of[lane]) != 0);
  }

  // Of one of the columns, in the order in which they were chosen.
  Count ones(std::size_t column, int of_class) const {
    const std::size_t place = places_[column];
    return ones_[of_class * masks_.size() + place / kLanes].of[place % kLanes];
  }

 private:
  static constexpr std::size_t kLanes = 4;
  struct Lanes {
    Count of[kLanes] = {};
  };

  std::vector<Lanes> masks_, ones_;  // `ones_`: of a class after the other
  std::vector<std::size_t> places_;
};

}  // namespace plaintree
