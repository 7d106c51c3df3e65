// The best cut by Gini of many unsorted keys of two classes, sorting few of them.
//
//   bucket   the keys of a range of codes; buckets are counted, not sorted
//
// 1. The keys are counted by bucket and class, and the cuts between buckets are scored.
// 2. Inside a bucket the low side grows from what is before the bucket by at most its own zeros and
//    ones. What a cut removes of impurity is convex in both, so that no cut in there beats the best
//    corner of that rectangle.
// 3. Only the keys of buckets with a corner as good as the best cut found so far are sorted and
//    looked at one by one. Mostly these are a few in a hundred.
// The result is the cut that sorting all of them would find.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gini_scan.h"
#include "sort_items.h"

namespace plaintree {

inline constexpr std::uint32_t kManyKeys = 128;  // from here on buckets pay

struct BucketScratch {
  std::vector<std::uint32_t> counts;  // buckets x classes
  std::vector<char> open;             // buckets that may hold the best cut
  std::vector<Entry> kept;            // the rows of these, and room for more
  std::vector<std::uint32_t> spare;
};

class BucketSearch {
 public:
  // `keys` is where keys of open buckets will be, sorted; positions in the result are theirs.
  BucketSearch(std::vector<std::uint32_t>& keys, int tag_bits, GiniScanOfTwo& scan,
               BucketScratch& scratch)
      : keys_(keys),
        tag_bits_(tag_bits),
        tag_mask_((1u << tag_bits) - 1),
        scan_(scan),
        scratch_(scratch) {}

  // Looks at rows by the upper bits of their codes, in the order of the rows; code_of(row) is a
  // whole code. Leaves the result in the scan.
  template <class CodeOf>
  void run(std::span<const Entry> entries, const std::uint16_t* uppers, int lower_bits,
           CodeOf code_of) {
    const auto n = static_cast<std::uint32_t>(entries.size());
    constexpr int kSign = 1 << 15;
    std::int16_t least = 0x7FFF, most = -0x8000;  // signed: compared faster
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto upper = static_cast<std::int16_t>(uppers[i] ^ kSign);
      least = std::min(least, upper);
      most = std::max(most, upper);
    }
    divide(static_cast<std::uint32_t>(least + kSign), static_cast<std::uint32_t>(most - least), n);
    search(entries, uppers, lower_bits, [=](std::uint32_t i, Entry) { return uppers[i]; }, code_of);
  }

  // The same, where upper_of(row) has yet to be written to `uppers`, and most codes are there.
  template <class UpperOf, class CodeOf>
  void run(std::span<const Entry> entries, UpperOf upper_of, std::uint32_t most_upper,
           std::uint16_t* uppers, int lower_bits, CodeOf code_of) {
    divide(0, most_upper, static_cast<std::uint32_t>(entries.size()));
    const auto write_upper = [=, tag_bits = tag_bits_](std::uint32_t i, Entry entry) {
      return uppers[i] = upper_of(entry >> tag_bits);
    };
    search(entries, uppers, lower_bits, write_upper, code_of);
  }

 private:
  // Buckets for n rows in a range of upper bits.
  void divide(std::uint32_t first, std::uint32_t range, std::uint32_t n) {
    const auto wanted = std::bit_width(std::min(n / kKeysPerBucket, kMostBuckets - 1));
    first_ = first;
    shift_ = std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(wanted));
    n_buckets_ = (range >> shift_) + 1;
  }

  template <class UpperOf, class CodeOf>
  void search(std::span<const Entry> entries, const std::uint16_t* uppers, int lower_bits,
              UpperOf upper_of, CodeOf code_of) {
    count(entries, upper_of);
    scan_.expect(best_between());
    if (!open_buckets()) return;
    keep_open(entries, uppers, code_of);
    look_inside(lower_bits);
  }

  template <class UpperOf>
  void count(std::span<const Entry> entries, UpperOf upper_of) {
    scratch_.counts.assign(2 * static_cast<std::size_t>(n_buckets_), 0);
    std::uint32_t* counts = scratch_.counts.data();
    const std::uint32_t mask = tag_mask_, first = first_;
    const int shift = shift_;
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t tag = entries[i] & mask;
      const std::uint32_t bucket = (upper_of(i, entries[i]) - first) >> shift;
      counts[2 * bucket + (tag & 1u)] += 1 + (tag >> 1);
    }
  }

  // Compared without dividing: one division costs as much as all else in here.
  double best_between() const {
    double zeros = 0, ones = 0;
    GiniScanOfTwo::Removed best{-1, 1};
    for (std::uint32_t b = 0; b + 1 < n_buckets_; ++b) {
      zeros += scratch_.counts[2 * b];
      ones += scratch_.counts[2 * b + 1];
      const auto removed = scan_.removed(zeros, ones);
      if (removed.above * best.below > best.above * removed.below && scan_.allowed(zeros + ones))
        best = removed;
    }
    return best.above < 0 ? -kInfinity : best.above / best.below;
  }

  // Returns whether any bucket is open.
  bool open_buckets() {
    scratch_.open.resize(n_buckets_);
    char* open = scratch_.open.data();
    const std::uint32_t *counts = scratch_.counts.data(), n_buckets = n_buckets_;
    double zeros = 0, ones = 0;
    bool before = false, any = false;
    for (std::uint32_t b = 0; b < n_buckets; ++b) {
      const double more_zeros = counts[2 * b], more_ones = counts[2 * b + 1];
      const bool zeros_first = scan_.expected(scan_.removed(zeros + more_zeros, ones));
      const bool ones_first = scan_.expected(scan_.removed(zeros, ones + more_ones));
      zeros += more_zeros;
      ones += more_ones;
      const bool after = scan_.expected(scan_.removed(zeros, ones));
      open[b] = before | zeros_first | ones_first | after;
      any |= open[b];
      before = after;
    }
    return any;
  }

  // Makes the keys of open buckets.
  template <class CodeOf>
  void keep_open(std::span<const Entry> entries, const std::uint16_t* uppers, CodeOf code_of) {
    const char* open = scratch_.open.data();
    const std::uint32_t first = first_;
    const int shift = shift_;
    if (scratch_.kept.size() < entries.size()) scratch_.kept.resize(entries.size());
    Entry* kept = scratch_.kept.data();
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
      *kept = entries[i];
      kept += open[(uppers[i] - first) >> shift];
    }
    const std::span<const Entry> found{scratch_.kept.data(), kept};
    keys_.resize(found.size());
    std::uint32_t* key = keys_.data();
    for (const Entry entry : found)
      *key++ = static_cast<std::uint32_t>(code_of(entry >> tag_bits_)) << tag_bits_ |
               (entry & tag_mask_);
  }

  // The keys of open buckets are in `keys_`.
  void look_inside(int lower_bits) {
    const std::uint32_t most_code = (first_ + (n_buckets_ << shift_)) << lower_bits;
    const int key_bits = tag_bits_ + lower_bits;
    sort_keys(keys_, scratch_.spare, most_code, tag_bits_);
    const SortedKeys sorted{keys_.data(), tag_mask_};
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
      if (!scratch_.open[b]) {
        scan_.skip(scratch_.counts[2 * b], scratch_.counts[2 * b + 1]);
        continue;
      }
      while (b + 1 < n_buckets_ && scratch_.open[b + 1]) ++b;  // neighbours are looked at together
      std::uint32_t end = begin;
      while (end < keys_.size() && ((keys_[end] >> key_bits) - first_) >> shift_ <= b) ++end;
      scan_.scan(sorted, begin, end);
      begin = end;
    }
  }

  // Most: their counts are to stay in the nearest cache.
  static constexpr std::uint32_t kKeysPerBucket = 8, kMostBuckets = 2048;

  std::vector<std::uint32_t>& keys_;
  int tag_bits_;
  std::uint32_t tag_mask_;
  GiniScanOfTwo& scan_;
  BucketScratch& scratch_;
  std::uint32_t first_ = 0, n_buckets_ = 0;
  int shift_ = 0;
};

}  // namespace plaintree
