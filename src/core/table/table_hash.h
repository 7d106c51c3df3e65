// A number to know a table again by.
//
// It depends on the values, classes and weights of the rows, but neither on the order of the rows
// nor on whether numbers are single or double:
//   1. A value is 64 bits: those of a double (without negative zero, and with one NaN only), or a
//      code.
//   2. A row is the sum of its values, their halves mixed, each times a number of its column.
//   3. The table is the sum of its rows, each mixed once more, and of their number.
// It distinguishes tables that differ by accident; it does not stop someone who looks for two
// tables of the same hash.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/team.h"
#include "table/training_table.h"

namespace plaintree {

class TableHash {
 public:
  explicit TableHash(const Examples& examples) : examples_(examples) {}

  std::uint64_t of(Team& team) const {
    const std::size_t n = examples_.n_rows();
    const int n_blocks = static_cast<int>((n + kBlock - 1) / kBlock);
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(n_blocks), 0);
    team.run(n_blocks, [&](int block, int) {
      const std::size_t first = static_cast<std::size_t>(block) * kBlock;
      sums[block] = of_rows(first, std::min(kBlock, n - first));
    });
    std::uint64_t total = n;
    for (const std::uint64_t sum : sums) total += sum;
    return total;
  }

 private:
  static constexpr std::size_t kBlock = 512;  // rows at a time stay in the cache
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  static constexpr std::uint64_t kMixers[] = {0xFF51AFD7ED558CCDull, 0xC4CEB9FE1A85EC53ull};

  // Each column multiplies its values by an odd number of its own.
  static std::uint64_t factor(std::uint64_t number) {
    return (number * kGolden) ^ kMixers[number % 2] | 1u;
  }
  static std::uint64_t folded(std::uint64_t bits) { return bits ^ bits >> 32; }
  static std::uint64_t bits_of(double value) {
    value += 0.0;  // -0.0 becomes 0.0
    return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                          : value);
  }

  std::uint64_t of_rows(std::size_t first, std::size_t n) const {
    std::uint64_t rows[kBlock];
    std::fill_n(rows, n, kGolden);
    const auto add = [&](std::uint64_t number, auto bits) {
      const std::uint64_t times = factor(number);
      for (std::size_t i = 0; i < n; ++i) rows[i] += folded(bits(first + i)) * times;
    };
    for (std::size_t j = 0; j < examples_.columns.size(); ++j) {
      const ColumnView& column = examples_.columns[j];
      if (column.type == ColumnView::Type::Codes)
        add(j + 3, [&](std::size_t i) {
          return static_cast<std::uint64_t>(static_cast<std::int64_t>(column.code(i)));
        });
      else
        add(j + 3, [&](std::size_t i) { return bits_of(column.number(i)); });
    }
    add(1, [&](std::size_t i) {
      return examples_.targets.empty()
                 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(examples_.classes[i]))
                 : bits_of(examples_.targets[i]);
    });
    if (!examples_.weights.empty())
      add(2, [&](std::size_t i) { return bits_of(examples_.weights[i] - 1); });
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += mixed(rows[i]);
    return sum;
  }
  static std::uint64_t mixed(std::uint64_t row) {
    for (const std::uint64_t mixer : kMixers) row = (row ^ row >> 33) * mixer;
    return row ^ row >> 33;
  }

  const Examples& examples_;
};

inline std::uint64_t table_hash(const Examples& examples, int n_threads,
                                std::function<bool()> interrupted) {
  Watch watch(std::move(interrupted));
  Team team(examples.n_rows() > 20000 ? n_threads : 1, watch);
  return TableHash(examples).of(team);
}

}  // namespace plaintree
