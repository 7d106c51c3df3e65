// The most frequent case, written for speed: the best cut of sorted values by the Gini index, of
// rows that count as often as they are there, where every difference of values may be cut. Finds
// the same cut as scan_items.h.
//
//   tag   the low bits of an entry: the row's class, and above it how often it is there, less one
//   key   a code with a tag below it: all that a scan needs, in 32 bits
//
// With two classes and T ones among N, a cut with l1 ones among nl removes d*d / (nl*nr) of
// impurity (up to a factor), where d = N*l1 - T*nl. d grows by a constant for every tag, and a cut
// can only be the best if d*d > best*nl*nr: no division, and almost never true. The few cuts that
// pass (with a margin for rounding) are compared as everywhere else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "search/gini/cut.h"

namespace plaintree {

struct SortedItems {
  const Item* items;
  std::uint32_t tag_mask;

  std::uint32_t tag(std::uint32_t i) const { return items[i].entry & tag_mask; }
  bool ties_with_next(std::uint32_t i) const { return items[i].rank == items[i + 1].rank; }
  bool all_tie(std::uint32_t n) const { return n > 0 && items[0].rank == items[n - 1].rank; }
};

struct SortedKeys {
  const std::uint32_t* keys;
  std::uint32_t tag_mask;

  std::uint32_t tag(std::uint32_t i) const { return keys[i] & tag_mask; }
  bool ties_with_next(std::uint32_t i) const { return ((keys[i] ^ keys[i + 1]) & ~tag_mask) == 0; }
  bool all_tie(std::uint32_t n) const {
    return n > 0 && ((keys[0] ^ keys[n - 1]) & ~tag_mask) == 0;
  }
};

// Missing rows that take the middle value: they join the low side before a certain element.
struct Imputed {
  const std::int32_t* counts = nullptr;  // by class
  std::uint32_t before = 0;  // the first element at which half of the known rows are low
};

// The policies that are scanned here: a branch of their own leaves missing rows out.
inline bool scans_missing(const Params& params) {
  return params.missing == Missing::Branch || params.missing == Missing::MostCommon;
}

// What cuts of two classes are worth.
class GiniOfTwo {
 public:
  // `known`: the class counts of all elements; `least`: what a side must count.
  GiniOfTwo(const std::int32_t* known, std::uint32_t least)
      : zeros_(known[0]),
        ones_(known[1]),
        all_(zeros_ + ones_),
        margin_(1e-12 * zeros_ * ones_),
        least_(least) {}

  // What a cut with these rows on the low side removes of impurity, up to a factor: a fraction.
  struct Removed {
    double above, below;
  };
  Removed removed(double low_zeros, double low_ones) const {
    const double nl = low_zeros + low_ones, d = zeros_ * low_ones - ones_ * low_zeros;
    return {d * d, nl * (all_ - nl)};
  }
  double gain_of(double removed) const { return 2 * removed / (all_ * all_); }
  bool allowed(double nl) const { return nl >= least_ && all_ - nl >= least_; }
  // Only cuts that remove about as much as this, or more, are of interest.
  void expect(double removed) { bound_ = std::max(bound_, removed - margin_); }
  void expect_gain(double gain) { expect(gain * all_ * all_ / 2); }
  bool expected(Removed removed) const {
    return removed.below > 0 && removed.above >= bound_ * removed.below;
  }

 protected:
  double zeros_, ones_, all_, margin_, least_;
  double bound_ = -kInfinity;
};

// Elements are scanned in order; stretches that hold no best cut may be skipped.
class GiniScanOfTwo : public GiniOfTwo {
 public:
  GiniScanOfTwo(const GiniOfTwo& worth, std::uint32_t tag_mask) : GiniOfTwo(worth) {
    for (std::uint32_t tag = 0; tag <= tag_mask; ++tag) {
      times_[tag] = 1.0 + (tag >> 1);
      more_[tag] = times_[tag] * (tag & 1u ? zeros_ : -ones_);
    }
  }

  // Elements begin .. end-1; there is no cut after the last one, unless others follow.
  template <class Sorted>
  void scan(const Sorted& sorted, std::uint32_t begin, std::uint32_t end, bool others = false) {
    double d = d_, nl = nl_;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t tag = sorted.tag(i);
      d += more_[tag];
      nl += times_[tag];
      if (d * d <= bound_ * (nl * (all_ - nl))) [[likely]]
        continue;
      if ((others || i + 1 < end) && !sorted.ties_with_next(i) && allowed(nl))
        consider(d, nl, i + 1);
    }
    d_ = d;
    nl_ = nl;
  }
  void skip(double zeros, double ones) {
    d_ += zeros_ * ones - ones_ * zeros;
    nl_ += zeros + ones;
  }

  GiniCut best() const { return cut_of(best_d_, best_nl_, position_); }

 private:
  GiniCut cut_of(double d, double nl, std::uint32_t position) const {
    const double l1 = (d + ones_ * nl) / all_, l0 = nl - l1, r1 = ones_ - l1, r0 = zeros_ - l0;
    return {position, nl, all_ - nl, l0 * l0 + l1 * l1, r0 * r0 + r1 * r1, l1};
  }
  void consider(double d, double nl, std::uint32_t position) {
    const double removed = d * d / (nl * (all_ - nl));
    // The bound is below the best by the margin: what is not above it by as much may be equal.
    const bool near = position_ > 0 && removed <= bound_ + 2 * margin_;
    if (near && !is_better(cut_of(d, nl, position), best())) return;
    bound_ = std::max(bound_, removed - margin_);
    best_d_ = d;
    best_nl_ = nl;
    position_ = position;
  }

  double more_[2 << kRepeatBits], times_[2 << kRepeatBits];  // by tag
  double d_ = 0, nl_ = 0;
  double best_d_ = 0, best_nl_ = 0;
  std::uint32_t position_ = 0;
};

// How often a row is there, by the bits of its tag that say so: no conversions while scanning.
inline constexpr double kTimes[1 << kRepeatBits] = {1, 2,  3,  4,  5,  6,  7,  8,
                                                    9, 10, 11, 12, 13, 14, 15, 16};

// Any number of classes, by the sums of squared class counts on both sides.
//
// With l of the known k of a class on the low side, the squares of the high side are those of the
// low side plus `more`, the sum of k*k - 2kl. A cut's purity low_squares/low + high_squares/high is
// compared with a bound without a division; the bound leaves a margin for rounding.
// `room` is a buffer of two numbers a class.
template <class Sorted>
GiniCut best_gini_cut_of_many(const Sorted& sorted, std::uint32_t n,
                              std::span<const std::int32_t> known, int class_bits,
                              std::uint32_t least, double least_gain, double* room,
                              const Imputed& imputed = {}) {
  const std::uint32_t class_mask = (1u << class_bits) - 1;
  double *low_rows = room, *twice_known = room + known.size();
  double all = 0, squares = 0;
  for (std::size_t c = 0; c < known.size(); ++c) {
    const double count = known[c];
    low_rows[c] = 0;
    twice_known[c] = 2 * count;
    all += count;
    squares += count * count;
  }
  const double margin = 1e-15 * (1000 + all);
  GiniCut cut;
  double low = 0, low_squares = 0, more = squares;
  double bound = (least_gain * all + squares / all) * (1 - margin);
  const auto add = [&](std::uint32_t of_class, double times) {
    const double before = low_rows[of_class], after = before + times;
    low_rows[of_class] = after;
    low_squares += times * (before + after);
    more -= times * twice_known[of_class];
    low += times;
  };
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    const std::uint32_t tag = sorted.tag(i);
    if (imputed.counts && i == imputed.before) [[unlikely]]
      for (std::size_t c = 0; c < known.size(); ++c) add(c, imputed.counts[c]);
    add(tag & class_mask, kTimes[tag >> class_bits]);
    const double high = all - low;
    if (low_squares * all <= (bound * high - more) * low) [[likely]]
      continue;
    if (sorted.ties_with_next(i) || low < least || high < least) continue;
    const GiniCut found{i + 1, low, high, low_squares, low_squares + more};
    if (!is_better(found, cut)) continue;
    cut = found;
    bound = std::max(bound, cut.purity() * (1 - margin));
  }
  return cut;
}

inline double* scan_room(const TrainingTable& table, CutScratch<std::int32_t>& scratch) {
  scratch.scan.resize(2 * static_cast<std::size_t>(table.n_classes));
  return scratch.scan.data();
}

// The best cut, if it gains as much as `least_gain`.
template <class Sorted>
GiniCut best_gini_cut(const TrainingTable& table, const Sorted& sorted, std::uint32_t n,
                      const std::int32_t* known, std::uint32_t least, double least_gain,
                      double* room, const Imputed& imputed = {}) {
  if (table.n_classes == 2) {
    GiniScanOfTwo scan(GiniOfTwo(known, least), sorted.tag_mask);
    scan.expect_gain(least_gain);
    if (imputed.counts) {
      scan.scan(sorted, 0, imputed.before, true);
      scan.skip(imputed.counts[0], imputed.counts[1]);
    }
    scan.scan(sorted, imputed.before, n);
    return scan.best();
  }
  const std::span<const std::int32_t> all(known, static_cast<std::size_t>(table.n_classes));
  return best_gini_cut_of_many(sorted, n, all, table.class_bits, least, least_gain, room, imputed);
}

// Where the low side first has half of the known rows.
template <class Sorted>
std::uint32_t middle_of(const TrainingTable& table, const Sorted& sorted, std::int64_t known) {
  if (table.repeat_bits == 0) return static_cast<std::uint32_t>((known + 1) / 2 - 1);
  std::uint32_t i = 0;
  for (std::int64_t low = table.times(sorted.tag(0)); 2 * low < known;)
    low += table.times(sorted.tag(++i));
  return i;
}

// The best cut where some rows are missing, or where items are known by their position.
template <class Sorted>
Candidate scan_by_gini(const RowView& view, const Sorted& sorted, std::uint32_t n,
                       const KnownAndMissing<std::int32_t>& counts,
                       CutScratch<std::int32_t>& scratch) {
  const TrainingTable& table = view.table;
  CutSearch<std::int32_t> search(view.measure, counts, scratch);
  if (sorted.all_tie(n)) {
    search.against_missing(n, -1);
    return search.finish();
  }
  if (n < 2 || !search.possible()) return {};
  const Imputed imputed =
      search.imputes() ? Imputed{counts.missing, middle_of(table, sorted, counts.known_total)}
                       : Imputed{};
  const GiniCut cut =
      best_gini_cut(table, sorted, n, imputed.counts ? view.sums : counts.known,
                    least_rows(view.measure), -kInfinity, scan_room(table, scratch), imputed);
  if (cut.position == 0) return {};
  scratch.low.assign(table.n_classes, 0);
  if (table.n_classes == 2) {
    scratch.low[1] = static_cast<std::int32_t>(cut.low_ones);
    scratch.low[0] = static_cast<std::int32_t>(cut.low) - scratch.low[1];
  } else {
    for (std::uint32_t i = 0; i < cut.position; ++i) {
      const std::uint32_t tag = sorted.tag(i);
      scratch.low[table.class_of(tag)] += table.times(tag);
    }
    for (int c = 0; imputed.counts && cut.position > imputed.before && c < table.n_classes; ++c)
      scratch.low[c] += counts.missing[c];
  }
  search.score_cut(scratch.low.data(), static_cast<std::int32_t>(cut.low), cut.position, -1, -1);
  return search.finish();
}

}  // namespace plaintree
