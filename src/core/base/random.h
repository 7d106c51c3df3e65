// Random numbers that depend on nothing but what they are for.
//
// A number is a hash of what it decides: the seed, the tree, the path to the node, the number of
// the draw. Neither the order of work nor threads nor machines change it.
#pragma once

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
inline std::uint32_t below(std::uint64_t hash, std::uint32_t n) {
  return static_cast<std::uint32_t>((static_cast<unsigned __int128>(hash) * n) >> 64);
}

// How often each of the things is drawn when some are drawn with replacement; `times` is zero.
inline void draw_with_replacement(std::uint64_t key, std::uint32_t n_draws,
                                  std::vector<std::uint32_t>& times) {
  const auto n = static_cast<std::uint32_t>(times.size());
  for (std::uint32_t i = 0; i < n_draws; ++i) ++times[below(mix(key, i), n)];
}

// Which of the things are drawn when each is drawn once at most: 1 or 0.
inline void draw_without_replacement(std::uint64_t key, std::uint32_t n_draws,
                                     std::vector<std::uint32_t>& times) {
  const auto n = static_cast<std::uint32_t>(times.size());
  std::uint32_t wanted = n_draws;
  for (std::uint32_t i = 0; i < n && wanted > 0; ++i)
    if (below(mix(key, i), n - i) < wanted) times[i] = 1, --wanted;
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
