// Counting the ones of columns of two codes, of which a row has a bit each: several columns at
// once.
//
//   lanes   numbers that are compared and added together. Every other lane looks at the low half of
//           a row's bits, and those between at the high half
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "table/row_codes.h"

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

  // Rows by their bits, their class and what they count: add(bits, of_class, weight) of each is
  // called by `each_row`.
  template <class EachRow>
  void count(EachRow each_row) {
    if (masks_.size() == 1) return count_by<1>(each_row);
    if (masks_.size() == 2) return count_by<2>(each_row);
    if (masks_.size() == 3) return count_by<3>(each_row);
    const std::size_t width = masks_.size();
    each_row([=, this](std::uint64_t bits, int of_class, Count weight) {
      Lanes* ones = ones_.data() + of_class * width;
      const Lanes row = both_halves(bits);
      for (std::size_t i = 0; i < width; ++i) ones[i].add(row, masks_[i], weight);
    });
  }

  // Of one of the columns, in the order in which they were chosen.
  Count ones(std::size_t column, int of_class) const {
    const std::size_t place = places_[column];
    return ones_[of_class * masks_.size() + place / kLanes].of[place % kLanes];
  }

 private:
  static constexpr std::size_t kBytes = 16, kLanes = kBytes / sizeof(Count);
  struct Lanes {
    typedef Count Several __attribute__((vector_size(kBytes)));
    Several of = {};

    // A comparison has all bits set in lanes where it is true.
    void add(const Lanes& row, const Lanes& mask, Count weight) {
      of += weight & ((row.of & mask.of) == mask.of);
    }
  };
  static Lanes both_halves(std::uint64_t bits) {
    const auto low = static_cast<Count>(static_cast<std::uint32_t>(bits));
    const auto high = static_cast<Count>(static_cast<std::uint32_t>(bits >> 32));
    Lanes lanes;
    for (std::size_t i = 0; i < kLanes; ++i) lanes.of[i] = i % 2 ? high : low;
    return lanes;
  }

  // The same for a few lanes, whose masks stay in registers then.
  template <std::size_t kWidth, class EachRow>
  void count_by(EachRow each_row) {
    std::array<Lanes, kWidth> masks;
    std::copy_n(masks_.begin(), kWidth, masks.begin());
    each_row([masks, all = ones_.data()](std::uint64_t bits, int of_class, Count weight) {
      Lanes* ones = all + of_class * kWidth;
      const Lanes row = both_halves(bits);
      for (std::size_t i = 0; i < kWidth; ++i) ones[i].add(row, masks[i], weight);
    });
  }

  std::vector<Lanes> masks_, ones_;  // `ones_`: of a class after the other
  std::vector<std::size_t> places_;
};

}  // namespace plaintree
