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

inline constexpr std::uint32_t kManyKeys = 256;  // from here on buckets pay

struct BucketScratch {
  std::vector<std::uint32_t> counts;  // buckets x classes
  std::vector<char> open;             // buckets that may hold the best cut
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

  // Looks at all that is in `keys` now, and leaves the result in the scan.
  void run() {
    std::uint32_t least = keys_[0], most = keys_[0];
    for (const std::uint32_t key : keys_) {
      least = std::min(least, key);
      most = std::max(most, key);
    }
    const auto n = static_cast<std::uint32_t>(keys_.size());
    first_key_ = least & ~tag_mask_;
    divide(most - first_key_, n, tag_bits_);
    const auto key_of = [keys = keys_.data()](std::uint32_t i) { return keys[i]; };
    const auto bucket = [key_of, first = first_key_, shift = shift_](std::uint32_t i) {
      return (key_of(i) - first) >> shift;
    };
    find_open_buckets(n, bucket, key_of);
    std::uint32_t* kept = keys_.data();
    const char* open = scratch_.open.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      *kept = key_of(i);
      kept += open[bucket(i)];
    }
    keys_.resize(kept - keys_.data());
    look_inside();
  }

  // Looks at the codes of rows; buckets are known by the upper bits alone.
  void run(std::span<const Entry> entries, const SplitCodes& codes, std::uint32_t n_codes) {
    const auto n = static_cast<std::uint32_t>(entries.size());
    first_key_ = 0;
    divide(n_codes << tag_bits_, n, tag_bits_ + codes.shift);
    const auto entry_of = [from = entries.data()](std::uint32_t i) { return from[i]; };
    const auto bucket = [entry_of, upper = codes.upper.data(), tag_bits = tag_bits_,
                         shift = shift_ - tag_bits_ - codes.shift](std::uint32_t i) {
      return static_cast<std::uint32_t>(upper[entry_of(i) >> tag_bits] >> shift);
    };
    find_open_buckets(n, bucket, entry_of);
    keys_.clear();
    const char* open = scratch_.open.data();
    for (std::uint32_t i = 0; i < n; ++i)
      if (open[bucket(i)]) [[unlikely]]
        keys_.push_back(static_cast<std::uint32_t>(codes[entries[i] >> tag_bits_]) << tag_bits_ |
                        (entries[i] & tag_mask_));
    look_inside();
  }

 private:
  // Buckets for n keys in this range, none smaller than 2^least_shift.
  void divide(std::uint32_t range, std::uint32_t n, int least_shift) {
    const auto wanted = std::bit_width(n / kKeysPerBucket);
    shift_ =
        std::max(least_shift, static_cast<int>(std::bit_width(range)) - static_cast<int>(wanted));
    n_buckets_ = (range >> shift_) + 1;
  }

  // What is given are functions of an element's number.
  template <class BucketOf, class TagOf>
  void find_open_buckets(std::uint32_t n, BucketOf bucket, TagOf tag_of) {
    scratch_.counts.assign(2 * static_cast<std::size_t>(n_buckets_), 0);
    std::uint32_t* counts = scratch_.counts.data();
    const std::uint32_t mask = tag_mask_;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t tag = tag_of(i);
      counts[2 * bucket(i) + (tag & 1u)] += 1 + ((tag & mask) >> 1);
    }
    scan_.expect(best_between());
    open_buckets();
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

  void open_buckets() {
    scratch_.open.resize(n_buckets_);
    double zeros = 0, ones = 0;
    bool before = false;
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
      const double more_zeros = scratch_.counts[2 * b], more_ones = scratch_.counts[2 * b + 1];
      const bool zeros_first = scan_.expected(scan_.removed(zeros + more_zeros, ones));
      const bool ones_first = scan_.expected(scan_.removed(zeros, ones + more_ones));
      zeros += more_zeros;
      ones += more_ones;
      const bool after = scan_.expected(scan_.removed(zeros, ones));
      scratch_.open[b] = before | zeros_first | ones_first | after;
      before = after;
    }
  }

  // The keys of open buckets are in `keys_`.
  void look_inside() {
    const std::uint32_t last_key = first_key_ + (n_buckets_ << shift_);
    make_sorted_keys(keys_, scratch_.spare, keys_.size(), last_key >> tag_bits_, tag_bits_,
                     [from = keys_.data()](std::size_t i) { return from[i]; });
    const SortedKeys sorted{keys_.data(), tag_mask_};
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
      if (!scratch_.open[b]) {
        scan_.skip(scratch_.counts[2 * b], scratch_.counts[2 * b + 1]);
        continue;
      }
      while (b + 1 < n_buckets_ && scratch_.open[b + 1]) ++b;  // neighbours are looked at together
      std::uint32_t end = begin;
      while (end < keys_.size() && (keys_[end] - first_key_) >> shift_ <= b) ++end;
      scan_.scan(sorted, begin, end);
      begin = end;
    }
  }

  static constexpr std::uint32_t kKeysPerBucket = 16;

  std::vector<std::uint32_t>& keys_;
  int tag_bits_;
  std::uint32_t tag_mask_;
  GiniScanOfTwo& scan_;
  BucketScratch& scratch_;
  std::uint32_t first_key_ = 0, n_buckets_ = 0;
  int shift_ = 0;
};

}  // namespace plaintree
