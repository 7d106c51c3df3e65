// The best cut by Gini of many unsorted rows of two classes, sorting few of them.
//
//   bucket   the rows of a range of codes; buckets are counted, not sorted
//
// 1. The rows are counted by bucket and class, and the cuts between buckets are scored.
// 2. Inside a bucket the low side grows from what is before the bucket by at most its own zeros and
//    ones. What a cut removes of impurity is convex in both, so that no cut in there beats the best
//    corner of that rectangle.
// 3. Only the rows of buckets with a corner as good as the best cut found so far, in this column or
//    in another, are sorted and looked at one by one. Mostly these are a few in a hundred.
// The result is the cut that sorting all of them would find.
//
// Missing rows have the middle value (the lower median of the known rows): its code stands for
// them, from the moment when the buckets are counted and it is found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "search/finder.h"
#include "search/gini/scan.h"
#include "search/sort_items.h"

namespace plaintree {

// How the upper bits of codes, which is all that buckets need, are divided into them. Loops that
// write had better have a copy of it (see EntryBits).
struct BucketRange {
  std::uint32_t first = 0, n = 0;
  int shift = 0;

  std::uint32_t of(std::uint32_t upper) const { return (upper - first) >> shift; }
  std::uint32_t end() const { return first + (n << shift); }
};

// The rows of a node in the buckets of one column.
class Buckets {
 public:
  BucketRange range;
  std::vector<std::uint16_t> uppers;   // of every row, in their order; may be longer
  std::vector<std::uint32_t> counts;   // buckets x classes
  double best_between = -kInfinity;    // what the best cut between buckets removes of impurity
  std::vector<std::uint32_t> missing;  // numbers of the rows that are missing
  std::int32_t middle_code = -1;       // stands for them

  // Counts rows whose upper bits are there.
  void count(std::span<const Entry> entries, int tag_bits) {
    constexpr int kSign = 1 << 15;
    std::int16_t least = 0x7FFF, most = -0x8000;  // signed: compared faster
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto upper = static_cast<std::int16_t>(uppers[i] ^ kSign);
      least = std::min(least, upper);
      most = std::max(most, upper);
    }
    divide(static_cast<std::uint32_t>(least + kSign), static_cast<std::uint32_t>(most - least),
           entries.size());
    count_by(entries, tag_bits, [from = uppers.data()](std::size_t i, Entry) { return from[i]; });
  }

  // Writes the upper bits meanwhile: upper_of(row), up to `most`, which most ranges reach.
  template <class UpperOf>
  void count(std::span<const Entry> entries, int tag_bits, std::uint32_t most, UpperOf upper_of) {
    make_room(uppers, entries.size());
    divide(0, most, entries.size());
    count_by(entries, tag_bits, [=, to = uppers.data()](std::size_t i, Entry entry) {
      return to[i] = upper_of(entry >> tag_bits);
    });
  }

  // Which of the rows are missing, by their codes; the upper bits of these are others' until the
  // middle is found, so that they do not widen the range.
  template <class CodeOf>
  void set_missing_aside(std::span<const Entry> entries, int tag_bits, int lower_bits,
                         std::int32_t missing_code, CodeOf code_of) {
    missing.clear();
    middle_code = -1;
    const auto upper = static_cast<std::uint16_t>(missing_code >> lower_bits);
    std::size_t known = entries.size();
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      if (uppers[i] != upper || code_of(entries[i] >> tag_bits) != missing_code)
        known = i;
      else
        missing.push_back(i);
    }
    if (known == entries.size()) missing.clear();  // all are missing, and so alike
    for (const std::uint32_t i : missing) uppers[i] = uppers[known];
  }

  // Once the rows are counted: missing ones join the bucket of the middle code.
  template <class CodeOf>
  void find_middle(std::span<const Entry> entries, int tag_bits, int lower_bits,
                   std::int32_t missing_code, CodeOf code_of) {
    if (missing.empty()) return;
    const std::uint32_t mask = (1u << tag_bits) - 1;
    for (const std::uint32_t i : missing)
      count_of(uppers[i], entries[i] & mask) -= times(entries[i] & mask);
    const std::int64_t known = std::accumulate(counts.begin(), counts.end(), std::int64_t(0));
    std::int64_t low = 0;  // rows below the bucket, then those up to a key in it
    std::uint32_t bucket = 0;
    for (; 2 * (low + size_of(bucket)) < known; ++bucket) low += size_of(bucket);
    keys_.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (range.of(uppers[i]) != bucket) continue;
      const std::int32_t code = code_of(entries[i] >> tag_bits);
      if (code != missing_code)
        keys_.push_back(static_cast<std::uint32_t>(code) << tag_bits | (entries[i] & mask));
    }
    std::sort(keys_.begin(), keys_.end());
    std::size_t k = 0;
    while (2 * (low += times(keys_[k] & mask)) < known) ++k;
    middle_code = static_cast<std::int32_t>(keys_[k] >> tag_bits);
    const auto upper = static_cast<std::uint16_t>(middle_code >> lower_bits);
    for (const std::uint32_t i : missing) {
      uppers[i] = upper;
      count_of(upper, entries[i] & mask) += times(entries[i] & mask);
    }
  }

  // Compared without dividing: one division costs as much as all else in here.
  void find_best_between(const GiniOfTwo& gini) {
    double zeros = 0, ones = 0;
    GiniOfTwo::Removed best{-1, 1};
    for (std::uint32_t b = 0; b + 1 < range.n; ++b) {
      zeros += counts[2 * b];
      ones += counts[2 * b + 1];
      const auto removed = gini.removed(zeros, ones);
      if (removed.above * best.below > best.above * removed.below && gini.allowed(zeros + ones))
        best = removed;
    }
    best_between = best.above < 0 ? -kInfinity : best.above / best.below;
  }

 private:
  static std::uint32_t times(std::uint32_t tag) { return 1 + (tag >> 1); }
  std::uint32_t& count_of(std::uint16_t upper, std::uint32_t tag) {
    return counts[2 * range.of(upper) + (tag & 1u)];
  }
  std::uint32_t size_of(std::uint32_t bucket) const {
    return counts[2 * bucket] + counts[2 * bucket + 1];
  }

  // Buckets for so many rows, whose upper bits lie between `first` and `first + width`.
  void divide(std::uint32_t first, std::uint32_t width, std::size_t n_rows) {
    const auto wanted = std::bit_width(std::min(n_rows / kRowsPerBucket, kMostBuckets - 1));
    range.first = first;
    range.shift = std::max(0, static_cast<int>(std::bit_width(width)) - static_cast<int>(wanted));
    range.n = (width >> range.shift) + 1;
  }

  template <class UpperOf>
  void count_by(std::span<const Entry> entries, int tag_bits, UpperOf upper_of) {
    counts.assign(2 * static_cast<std::size_t>(range.n), 0);
    std::uint32_t* to = counts.data();
    const std::uint32_t mask = (1u << tag_bits) - 1;
    const BucketRange bucket = range;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t tag = entries[i] & mask;
      to[2 * bucket.of(upper_of(i, entries[i])) + (tag & 1u)] += 1 + (tag >> 1);
    }
  }

  // Most: their counts are to stay in the nearest cache.
  static constexpr std::size_t kRowsPerBucket = 8, kMostBuckets = 2048;

  std::vector<std::uint32_t> keys_;  // of the bucket with the middle code
};

// Looks inside of buckets, as far as anything is expected there.
class BucketSearch {
 public:
  // The keys of open buckets will be in scratch.keys, sorted; positions in the result are theirs.
  BucketSearch(const Buckets& buckets, const GiniOfTwo& gini, int tag_bits,
               SearchScratch<std::int32_t>& scratch)
      : buckets_(buckets),
        gini_(gini),
        tag_bits_(tag_bits),
        keys_(scratch.keys),
        open_(scratch.open_buckets),
        scratch_(scratch) {}

  // code_of(row) is a whole code, with so many lower bits.
  template <class CodeOf>
  GiniCut run(std::span<const Entry> entries, int lower_bits, CodeOf code_of) {
    if (!open_buckets()) return {};
    keep_open(entries, code_of);
    return look_inside(lower_bits);
  }

 private:
  // Returns whether any bucket is open.
  bool open_buckets() {
    open_.resize(buckets_.range.n);
    char* open = open_.data();
    const std::uint32_t *counts = buckets_.counts.data(), n_buckets = buckets_.range.n;
    double zeros = 0, ones = 0;
    bool before = false, any = false;
    for (std::uint32_t b = 0; b < n_buckets; ++b) {
      const double more_zeros = counts[2 * b], more_ones = counts[2 * b + 1];
      const bool zeros_first = gini_.expected(gini_.removed(zeros + more_zeros, ones));
      const bool ones_first = gini_.expected(gini_.removed(zeros, ones + more_ones));
      zeros += more_zeros;
      ones += more_ones;
      const bool after = gini_.expected(gini_.removed(zeros, ones));
      open[b] = before | zeros_first | ones_first | after;
      any |= open[b];
      before = after;
    }
    return any;
  }

  // Makes the keys of open buckets.
  template <class CodeOf>
  void keep_open(std::span<const Entry> entries, CodeOf code_of) {
    const BucketRange bucket = buckets_.range;
    const char* open = open_.data();
    const std::uint16_t* uppers = buckets_.uppers.data();
    make_room(scratch_.kept_entries, entries.size());
    Entry* kept = scratch_.kept_entries.data();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      *kept = entries[i];
      kept += open[bucket.of(uppers[i])];
    }
    const std::span<const Entry> found{scratch_.kept_entries.data(), kept};
    keys_.resize(found.size());
    std::uint32_t* key = keys_.data();
    for (const Entry entry : found)
      *key++ = static_cast<std::uint32_t>(code_of(entry >> tag_bits_)) << tag_bits_ |
               (entry & tag_mask());
  }

  // The keys of open buckets are in `keys_`.
  GiniCut look_inside(int lower_bits) {
    const BucketRange& bucket = buckets_.range;
    make_sorted_keys(keys_, scratch_.spare_keys, keys_.size(), bucket.end() << lower_bits,
                     tag_bits_, [from = keys_.data()](std::size_t i) { return from[i]; });
    const SortedKeys sorted{keys_.data(), tag_mask()};
    GiniScanOfTwo scan(gini_, tag_mask());
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < bucket.n; ++b) {
      if (!open_[b]) {
        scan.skip(buckets_.counts[2 * b], buckets_.counts[2 * b + 1]);
        continue;
      }
      while (b + 1 < bucket.n && open_[b + 1]) ++b;  // neighbours are looked at together
      std::uint32_t end = begin;
      while (end < keys_.size() && bucket.of(keys_[end] >> (tag_bits_ + lower_bits)) <= b) ++end;
      scan.scan(sorted, begin, end);
      begin = end;
    }
    return scan.best();
  }
  std::uint32_t tag_mask() const { return (1u << tag_bits_) - 1; }

  const Buckets& buckets_;
  const GiniOfTwo& gini_;
  const int tag_bits_;
  std::vector<std::uint32_t>& keys_;
  std::vector<char>& open_;  // buckets that may hold the best cut
  SearchScratch<std::int32_t>& scratch_;
};

}  // namespace plaintree
