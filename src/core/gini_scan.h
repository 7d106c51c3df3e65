// The commonest case by far, written for speed: the best cut of sorted values by the Gini index, of
// rows that count as often as they are there, where every difference of values may be cut. Finds
// the same cut as scan_items of cuts.h.
//
//   tag   the low bits of an entry: the row's class, and above it how often it is there, less one
//   key   a code with a tag below it: all that a scan needs, in 32 bits
//
// With two classes and T ones among N, a cut with l1 ones among nl removes d*d / (nl*nr) of
// impurity (up to a factor), where d = N*l1 - T*nl. d grows by a constant for every tag, and a cut
// can only be the best if d*d > best*nl*nr: no division, and almost never true. The few cuts that
// pass (with a margin for rounding) are computed as everywhere else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "cuts.h"

namespace plaintree {

struct SortedItems {
  const Item* items;
  std::uint32_t tag_mask;

  std::uint32_t tag(std::uint32_t i) const { return items[i].entry & tag_mask; }
  bool ties_with_next(std::uint32_t i) const { return items[i].rank == items[i + 1].rank; }
};

struct SortedKeys {
  const std::uint32_t* keys;
  std::uint32_t tag_mask;

  std::uint32_t tag(std::uint32_t i) const { return keys[i] & tag_mask; }
  bool ties_with_next(std::uint32_t i) const { return ((keys[i] ^ keys[i + 1]) & ~tag_mask) == 0; }
};

struct GiniCut {
  std::uint32_t position = 0;  // elements on the low side; 0: there is no cut
  std::int32_t low_total = 0;
};

inline constexpr int kMostTagBits = 12;  // so that tables by tag stay small

// `low_counts` gets the class counts of the low side.
template <class Sorted>
GiniCut best_gini_cut_of_two(const Sorted& sorted, std::uint32_t n, const std::int32_t* known,
                             std::uint32_t least, std::vector<std::int32_t>& low_counts) {
  const double zeros = known[0], ones = known[1], all = zeros + ones;
  double more[2 << kRepeatBits], times[2 << kRepeatBits];
  for (std::uint32_t tag = 0; tag <= sorted.tag_mask; ++tag) {
    times[tag] = 1.0 + (tag >> 1);
    more[tag] = times[tag] * (tag & 1u ? zeros : -ones);
  }
  const double margin = 1e-12 * zeros * ones;
  const auto most = static_cast<double>(known[0] + known[1]) - least;
  GiniCut cut;
  double d = 0, nl = 0, best = kInfinity, bound = -kInfinity;
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    const std::uint32_t tag = sorted.tag(i);
    d += more[tag];
    nl += times[tag];
    const double nr = all - nl, sides = nl * nr;
    if (d * d <= bound * sides) [[likely]]
      continue;
    if (sorted.ties_with_next(i) || nl < least || nl > most) continue;
    const double l1 = (d + ones * nl) / all, l0 = nl - l1, r1 = ones - l1, r0 = nr - r1;
    const double cost = l0 * l1 / nl + r0 * r1 / nr;
    if (cost < best) {
      best = cost;
      bound = d * d / sides - margin;
      cut = {i + 1, static_cast<std::int32_t>(nl)};
      low_counts[1] = static_cast<std::int32_t>(l1);
    }
  }
  low_counts[0] = cut.low_total - low_counts[1];
  return cut;
}

// The same for any number of classes, by the sums of squared class counts on both sides.
template <class Sorted>
GiniCut best_gini_cut_of_many(const Sorted& sorted, std::uint32_t n,
                              std::span<const std::int32_t> known, int class_bits,
                              std::uint32_t least, std::vector<std::int32_t>& low_counts) {
  const std::uint32_t class_mask = (1u << class_bits) - 1;
  std::int64_t low_squares = 0, high_squares = 0;
  std::uint32_t total = 0, low_total = 0;
  for (const std::int32_t count : known) {
    high_squares += static_cast<std::int64_t>(count) * count;
    total += static_cast<std::uint32_t>(count);
  }
  GiniCut cut;
  double best = -kInfinity, bound = -kInfinity;
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    const std::uint32_t tag = sorted.tag(i), c = tag & class_mask;
    const std::int64_t times = 1 + (tag >> class_bits);
    const std::int64_t l = low_counts[c], r = known[c] - l;
    low_counts[c] += static_cast<std::int32_t>(times);
    low_squares += times * (2 * l + times);
    high_squares -= times * (2 * r - times);
    low_total += static_cast<std::uint32_t>(times);
    const double nl = low_total, nr = total - nl;
    const auto ls = static_cast<double>(low_squares), hs = static_cast<double>(high_squares);
    if (ls * nr + hs * nl <= bound * (nl * nr)) [[likely]]
      continue;
    if (sorted.ties_with_next(i) || low_total < least || total - low_total < least) continue;
    const double purity = ls / nl + hs / nr;
    if (purity > best) {
      best = purity;
      bound = purity * (1 - 1e-12);
      cut = {i + 1, static_cast<std::int32_t>(low_total)};
    }
  }
  std::fill(low_counts.begin(), low_counts.end(), 0);
  for (std::uint32_t i = 0; i < cut.position; ++i) {
    const std::uint32_t tag = sorted.tag(i);
    low_counts[tag & class_mask] += static_cast<std::int32_t>(1 + (tag >> class_bits));
  }
  return cut;
}

inline bool fits_gini_scan(const Measure& measure, const TrainingTable& table) {
  const Params& params = *measure.params;
  return params.criterion == Criterion::Gini && params.least_gap <= 0 &&
         params.numeric_branch_share <= 0 && !params.threshold_penalty && table.class_bits > 0 &&
         table.n_rows < (1u << 26);  // so that d is exact
}

inline std::uint32_t tag_mask(const TrainingTable& table) {
  return (1u << (table.class_bits + table.repeat_bits)) - 1;
}

template <class Sorted>
Candidate scan_by_gini(const Measure& measure, const TrainingTable& table, const Sorted& sorted,
                       std::uint32_t n, const KnownAndMissing<std::int32_t>& counts,
                       CutScratch<std::int32_t>& scratch) {
  CutSearch<std::int32_t> search(measure, counts, scratch);
  if (n < 2 || !search.possible()) return {};
  const auto least = static_cast<std::uint32_t>(
      std::max(1.0, std::ceil(std::min(measure.params->min_samples_branch, 4e9))));
  const std::int32_t* known = counts.known;
  const auto n_classes = static_cast<std::size_t>(measure.n_classes);
  const GiniCut cut = n_classes == 2 ? best_gini_cut_of_two(sorted, n, known, least, scratch.low)
                                     : best_gini_cut_of_many(sorted, n, {known, n_classes},
                                                             table.class_bits, least, scratch.low);
  if (cut.position == 0) return {};
  search.score_cut(scratch.low.data(), cut.low_total, cut.position, -1, -1);
  return search.finish();
}

}  // namespace plaintree
