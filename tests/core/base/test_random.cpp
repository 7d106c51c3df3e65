// Draws of rows: as many as asked for, uniform, and found block by block.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.h"
#include "check.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

using Times = std::vector<std::uint32_t>;

std::uint64_t total(const Times& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t(0));
}

Times with(std::uint64_t key, std::uint32_t n_draws, std::size_t n) {
  Times times(n, 0);
  draw_with_replacement(key, n_draws, times);
  return times;
}

Times without(std::uint64_t key, std::uint32_t n_draws, std::size_t n) {
  Times times(n, 0);
  draw_without_replacement(key, n_draws, times);
  return times;
}

// By how many standard deviations chi-square exceeds its mean, of counts that should be equal but
// for the number of things that each counts.
double excess(const std::vector<double>& counts, const std::vector<double>& sizes) {
  const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double size = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = n * sizes[i] / size;
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

// Counts of each row over many trees.
template <class Draw>
std::vector<double> of_trees(int n_trees, std::size_t n, Draw draw) {
  std::vector<double> counts(n, 0);
  for (int tree = 0; tree < n_trees; ++tree) {
    const Times times = draw(mix(17, static_cast<std::uint64_t>(tree)));
    for (std::size_t i = 0; i < n; ++i) counts[i] += times[i];
  }
  return counts;
}

const std::vector<std::size_t> kSizes{1, 2, 7, 1000, 65535, 65536, 65537, 131072, 150000};

}  // namespace

TEST(as_many_rows_are_drawn_as_asked_for) {
  for (const std::size_t n : kSizes) {
    const auto whole = static_cast<std::uint32_t>(n);
    for (const std::uint32_t n_draws : {0u, 1u, whole / 3, whole, 2 * whole + 5}) {
      CHECK(total(with(n, n_draws, n)) == n_draws);
      if (n_draws > n) continue;
      const Times times = without(n, n_draws, n);
      CHECK(total(times) == n_draws && *std::max_element(times.begin(), times.end()) <= 1);
    }
  }
}

TEST(blocks_find_their_own_draws) {
  for (const std::size_t n : kSizes) {
    const auto n_draws = static_cast<std::uint32_t>(n + n / 2);
    const Times whole = with(3, n_draws, n);
    const std::vector<std::uint32_t> of_blocks = draws_of_blocks(3, n_draws, n);
    CHECK(of_blocks.size() == (n + kDrawBlock - 1) / kDrawBlock && total(of_blocks) == n_draws);
    for (std::size_t block = of_blocks.size(); block-- > 0;) {
      const std::size_t begin = block * kDrawBlock;
      Times own(std::min<std::size_t>(kDrawBlock, n - begin), 0);
      draw_in_block(3, block, of_blocks[block], static_cast<std::uint32_t>(own.size()), own.data());
      CHECK(std::equal(own.begin(), own.end(), whole.begin() + static_cast<long>(begin)));
    }
  }
}

TEST(rows_are_drawn_with_equal_probability) {
  for (const std::size_t n : kSizes) {
    if (n == 1) continue;
    const auto n_draws = static_cast<std::uint32_t>(n);
    const std::vector<double> ones(n, 1);
    for (const std::uint32_t some : {n_draws / 2, n_draws, 2 * n_draws}) {
      const auto counts = of_trees(100, n, [&](std::uint64_t key) { return with(key, some, n); });
      CHECK(std::fabs(excess(counts, ones)) < 4);
    }
    // Rows drawn once at most are less uneven than chance: half of the rows, half of chi-square.
    const auto counts =
        of_trees(100, n, [&](std::uint64_t key) { return without(key, n_draws / 2, n); });
    CHECK(excess(counts, ones) < 4);
  }
}

TEST(numbers_of_draws_are_those_of_a_bootstrap_sample) {
  const std::size_t n = 131072 + 1000;
  std::vector<double> found(8, 0), expected(8, 0);
  for (int tree = 0; tree < 20; ++tree)
    for (const std::uint32_t times : with(mix(23, static_cast<std::uint64_t>(tree)), n, n))
      ++found[std::min(times, 7u)];
  double probability = std::exp(-1.0), left = 1;  // Poisson(1), near enough
  for (int times = 0; times < 7; ++times) {
    expected[times] = probability;
    left -= probability;
    probability /= times + 1;
  }
  expected[7] = left;
  CHECK(std::fabs(excess(found, expected)) < 4);
}

TEST(blocks_get_their_share_of_draws) {
  const std::uint64_t n = 9 * kDrawBlock + 20000;  // the last block is smaller
  std::vector<double> found(10, 0), sizes(10, kDrawBlock);
  sizes[9] = 20000;
  double variance = 0;
  for (std::uint64_t tree = 0; tree < 200; ++tree) {
    const auto of_blocks = draws_of_blocks(mix(29, tree), 10000, n);
    for (int i = 0; i < 10; ++i) found[i] += of_blocks[i];
    const double off = of_blocks[0] - 10000 * sizes[0] / static_cast<double>(n);
    variance += off * off / 200;
  }
  CHECK(std::fabs(excess(found, sizes)) < 4);
  const double p = sizes[0] / static_cast<double>(n);
  CHECK(std::fabs(variance / (10000 * p * (1 - p)) - 1) < 0.4);  // binomial, not a fixed share
}

TEST(more_rows_than_32_bits_count_have_draws) {
  const std::uint64_t n = (1ull << 33) + 5;
  const auto of_blocks = draws_of_blocks(1, 1000000, n);
  CHECK(of_blocks.size() == (1u << 17) + 1 && total(of_blocks) == 1000000);
  const std::uint64_t upper_half = total({of_blocks.begin() + (1 << 16), of_blocks.end()});
  CHECK(std::fabs(static_cast<double>(upper_half) - 500000) < 4 * 500);
}

TEST(rows_of_a_tree_have_different_hashes) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t row = 0; row < 100000; ++row) hashes.push_back(draw_hash(7, row));
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
}

TEST(a_limit_has_as_many_hashes_up_to_it_as_rows_are_drawn) {
  for (const std::uint64_t n : {1, 2, 15, 16, 17, 1000, 100000})
    for (const std::uint64_t n_draws : {std::uint64_t(1), n / 2 + 1, n}) {
      const std::uint64_t limit = draw_limit(n, n_draws, n);
      std::uint64_t n_drawn = 0;
      for (std::uint64_t row = 0; row < n; ++row) n_drawn += draw_hash(n, row) <= limit;
      CHECK(n_drawn == n_draws);
    }
}
