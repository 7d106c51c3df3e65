// Random numbers that depend on nothing but what they are for.
//
// A number is a hash of what it decides: the seed, the tree, the path to the node, the number of
// the draw. Neither the order of work nor threads nor machines change it.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plaintree {

// Two numbers made into one that looks like neither (the finalizer of SplitMix64).
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9E3779B97F4A7C15ull * (b + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

// Where the draws of a tree's columns begin; other draws of the same seed have other keys.
inline std::uint64_t path_of_root(std::uint64_t seed, std::uint32_t tree) {
  return mix(mix(seed, 2), tree);
}

// An integer below n, from a hash.
template <std::unsigned_integral N>
N below(std::uint64_t hash, N n) {
  return static_cast<N>((static_cast<unsigned __int128>(hash) * n) >> 64);
}

// ---------------------------------------------------------------- samples of rows
//
// Rows are drawn by block. What a block draws follows from the key, the number of draws and the
// number of rows, so parts of a table that lie apart have the samples of the whole table.

inline constexpr int kDrawBlockBits = 16;
inline constexpr std::uint64_t kDrawBlock = 1ull << kDrawBlockBits;  // rows; the last has the rest

// How many of the draws with replacement from n rows go to each block (not more than 2^32 to any).
// One hash a draw, about 1.3 ns: 13 s for 10^10 draws, once a tree.
inline std::vector<std::uint32_t> draws_of_blocks(std::uint64_t key, std::uint64_t n_draws,
                                                  std::uint64_t n) {
  std::vector<std::uint32_t> draws((n + kDrawBlock - 1) >> kDrawBlockBits, 0);
  if (draws.size() == 1) draws[0] = static_cast<std::uint32_t>(n_draws);
  if (draws.size() <= 1) return draws;
  for (std::uint64_t i = 0; i < n_draws; ++i) ++draws[below(mix(key, i), n) >> kDrawBlockBits];
  return draws;
}

// Adds to `times` how often each row of a block is drawn.
inline void draw_in_block(std::uint64_t key, std::uint64_t block, std::uint32_t n_draws_of_block,
                          std::uint32_t n_rows_of_block, std::uint32_t* times) {
  constexpr std::uint64_t kInside = ~0ull;  // no draw has this number
  const std::uint64_t own = mix(mix(key, kInside), block);
  for (std::uint32_t j = 0; j < n_draws_of_block; ++j) ++times[below(mix(own, j), n_rows_of_block)];
}

// How often each of the rows is drawn when some are drawn with replacement; `times` is zero.
inline void draw_with_replacement(std::uint64_t key, std::uint32_t n_draws,
                                  std::vector<std::uint32_t>& times) {
  const std::vector<std::uint32_t> draws = draws_of_blocks(key, n_draws, times.size());
  for (std::uint64_t block = 0; block < draws.size(); ++block) {
    const std::uint64_t begin = block << kDrawBlockBits;
    const auto n_rows =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kDrawBlock, times.size() - begin));
    draw_in_block(key, block, draws[block], n_rows, &times[begin]);
  }
}

// Without replacement, the rows of the smallest hashes are drawn. No two rows have the same one:
// for a given key, mix permutes the 64-bit numbers.
inline std::uint64_t draw_hash(std::uint64_t key, std::uint64_t row) { return mix(key, row); }

// The largest hash of a row that is drawn, if so many of n rows are (one at least, n at most).
//
// Rows are counted by the high bits of their hashes, then only those of one count are compared.
// Counts of parts of a table could be added up; but a part can also find the limit by itself.
inline std::uint64_t draw_limit(std::uint64_t key, std::uint64_t n_draws, std::uint64_t n) {
  const int bits = std::clamp(static_cast<int>(std::bit_width(n)) - 4, 1, 12);
  const auto high_bits = [&](std::uint64_t hash) { return hash >> (64 - bits); };
  std::vector<std::uint64_t> n_of(std::size_t(1) << bits, 0);
  for (std::uint64_t row = 0; row < n; ++row) ++n_of[high_bits(draw_hash(key, row))];
  std::uint64_t high = 0, left = n_draws;
  while (left > n_of[high]) left -= n_of[high++];
  std::vector<std::uint64_t> hashes;
  hashes.reserve(n_of[high]);
  for (std::uint64_t row = 0; row < n; ++row) {
    const std::uint64_t hash = draw_hash(key, row);
    if (high_bits(hash) == high) hashes.push_back(hash);
  }
  const auto last = hashes.begin() + static_cast<std::ptrdiff_t>(left - 1);
  std::nth_element(hashes.begin(), last, hashes.end());
  return *last;
}

// Which of the rows are drawn when each is drawn once at most: 1 or 0.
inline void draw_without_replacement(std::uint64_t key, std::uint32_t n_draws,
                                     std::vector<std::uint32_t>& times) {
  const std::size_t n = times.size();
  if (n_draws == 0 || n == 0) return;
  const std::uint64_t limit = draw_limit(key, std::min<std::uint64_t>(n_draws, n), n);
  for (std::size_t row = 0; row < n; ++row) times[row] = draw_hash(key, row) <= limit;
}

// The numbers 0 .. n-1 in random order, of which mostly the first few are wanted: nothing is done
// for the others.
class Shuffle {
 public:
  explicit Shuffle(std::uint32_t n) : order_(n), from_(n) {
    for (std::uint32_t i = 0; i < n; ++i) order_[i] = i;
  }
  // Begins a new order.
  void start(std::uint64_t key) {
    for (std::uint32_t i = 0; i < taken_; ++i) order_[from_[i]] = from_[i];
    taken_ = 0;
    key_ = key;
  }
  bool empty() const { return taken_ == order_.size(); }

  // Calls use(number) of the next ones, until it was true as often as wanted or none is left.
  template <class Use>
  void take(int wanted, Use use) {
    std::uint32_t *order = order_.data(), *from = from_.data(), taken = taken_;
    const auto n = static_cast<std::uint32_t>(order_.size());
    for (const std::uint64_t key = key_; wanted > 0 && taken < n; ++taken) {
      const std::uint32_t place = taken + below(mix(key, taken), n - taken);
      const std::uint32_t number = std::exchange(order[place], order[taken]);
      from[taken] = place;
      wanted -= use(number);
    }
    taken_ = taken;
  }
  std::uint32_t next() {
    std::uint32_t number = 0;
    take(1, [&](std::uint32_t n) { return number = n, true; });
    return number;
  }

 private:
  std::vector<std::uint32_t> order_;  // those at places already taken do not matter
  std::vector<std::uint32_t> from_;   // the places of those taken
  std::uint32_t taken_ = 0;
  std::uint64_t key_ = 0;
};

}  // namespace plaintree
