// The borders between the buckets of a column, and the bucket of a number: how many lie below it.
//
// A table of equal cells over the range of the borders gives the first bucket that it may be, and
// few borders are left to compare with. A binary search alone took 20 times as long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace plaintree {

class Borders {
 public:
  // Ascending and different from each other.
  explicit Borders(std::span<const double> borders)
      : n_(static_cast<std::uint32_t>(borders.size())), borders_(borders.begin(), borders.end()) {
    borders_.insert(borders_.end(), kFew, std::numeric_limits<double>::infinity());
    const auto is_single = [](double border) {
      if (std::abs(border) > std::numeric_limits<float>::max()) return std::isinf(border);
      return static_cast<double>(static_cast<float>(border)) == border;
    };
    if (std::all_of(borders_.begin(), borders_.end(), is_single))
      singles_.assign(borders_.begin(), borders_.end());
    const auto first = std::find_if(borders.begin(), borders.end(),
                                    [](double border) { return std::isfinite(border); });
    const auto last = std::find_if(borders.rbegin(), borders.rend(),
                                   [](double border) { return std::isfinite(border); });
    if (first == borders.end() || *first == *last) return;
    const std::size_t n_cells = std::min<std::size_t>(4 * borders.size() + 1, kMostCells);
    least_ = *first;
    per_unit_ = static_cast<double>(n_cells) / (*last - *first);
    if (!std::isfinite(per_unit_) || per_unit_ <= 0) return;
    starts_.assign(n_cells + 2, static_cast<std::uint16_t>(n_));
    // The first border of each cell; cell_of() grows with the value, so none lies in a later one.
    for (std::size_t i = borders.size(); i-- > 0;)
      starts_[cell_of(borders[i])] = static_cast<std::uint16_t>(i);
    for (std::size_t c = starts_.size() - 1; c-- > 0;)
      starts_[c] = std::min(starts_[c], starts_[c + 1]);
  }

  std::uint32_t size() const { return n_ + 1; }

  // Not of a NaN. A float is compared with borders that are floats, if all are.
  template <class Float>
  std::uint32_t of(Float value) const {
    if (starts_.empty()) return search(0, n_, value);
    const std::size_t cell = cell_of(value);
    const std::uint32_t first = starts_[cell], last = starts_[cell + 1];
    if (last - first > kFew) return search(first, last, value);
    if constexpr (std::is_same_v<Float, float>)
      if (!singles_.empty()) return after(singles_.data(), first, value);
    return after(borders_.data(), first, value);
  }

 private:
  // Borders of later cells are not below the value, and may be compared as well: a loop that ends
  // with the cell is mispredicted for every other value.
  template <class Border, class Float>
  static std::uint32_t after(const Border* borders, std::uint32_t first, Float value) {
    std::uint32_t bucket = first;
    for (std::uint32_t i = 0; i < kFew; ++i) bucket += borders[first + i] < value;
    return bucket;
  }
  static constexpr std::size_t kMostCells = std::size_t(1) << 17;
  static constexpr std::uint32_t kFew = 4;

  std::size_t cell_of(double value) const {
    const double cell = (value - least_) * per_unit_;
    const auto last = static_cast<double>(starts_.size() - 2);
    return static_cast<std::size_t>(static_cast<std::int32_t>(std::clamp(cell, 0.0, last)));
  }
  std::uint32_t search(std::uint32_t first, std::uint32_t last, double value) const {
    const auto from = borders_.begin();
    return static_cast<std::uint32_t>(std::lower_bound(from + first, from + last, value) - from);
  }

  std::uint32_t n_;
  std::vector<double> borders_;        // and a few that no value lies above
  std::vector<float> singles_;         // the same, if they are: half of them are in the cache
  std::vector<std::uint16_t> starts_;  // by cell, and one more
  double least_ = 0, per_unit_ = 0;
};

}  // namespace plaintree
