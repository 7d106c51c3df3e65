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
  BucketSearch(std::vector<std::uint32_t>& keys, int tag_bits, GiniScanOfTwo& scan,
               BucketScratch& scratch)
      : keys_(keys),
        tag_bits_(tag_bits),
        tag_mask_((1u << tag_bits) - 1),
        scan_(scan),
        scratch_(scratch) {}

  // Leaves the result in the scan; positions are those of `keys`, which are fewer and sorted then.
  void run() {
    count();
    scan_.expect(best_between());
    open_buckets();
    keep_open_keys();
    look_inside();
  }

 private:
  // A copy of what it needs: written keys might, for all the compiler knows, change the members.
  auto bucket_of() const {
    return
        [first = first_key_, shift = shift_](std::uint32_t key) { return (key - first) >> shift; };
  }

  void count() {
    std::uint32_t least = keys_[0], most = keys_[0];
    for (const std::uint32_t key : keys_) {
      least = std::min(least, key);
      most = std::max(most, key);
    }
    const std::uint32_t mask = tag_mask_;
    first_key_ = least & ~mask;
    const std::uint32_t range = most - first_key_;
    const auto wanted = static_cast<std::uint32_t>(keys_.size() / 16);
    const int spare_bits =
        static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(wanted));
    shift_ = std::max(tag_bits_, spare_bits);
    n_buckets_ = (range >> shift_) + 1;
    scratch_.counts.assign(2 * static_cast<std::size_t>(n_buckets_), 0);
    std::uint32_t* counts = scratch_.counts.data();
    for (const auto bucket = bucket_of(); const std::uint32_t key : keys_)
      counts[2 * bucket(key) + (key & 1u)] += 1 + ((key & mask) >> 1);
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

  void keep_open_keys() {
    std::uint32_t* kept = keys_.data();
    const char* open = scratch_.open.data();
    for (const auto bucket = bucket_of(); const std::uint32_t key : keys_) {
      *kept = key;
      kept += open[bucket(key)];
    }
    keys_.resize(kept - keys_.data());
    const std::uint32_t last_key = first_key_ + (n_buckets_ << shift_);
    make_sorted_keys(keys_, scratch_.spare, keys_.size(), last_key >> tag_bits_, tag_bits_,
                     [from = keys_.data()](std::size_t i) { return from[i]; });
  }

  void look_inside() {
    const SortedKeys sorted{keys_.data(), tag_mask_};
    const auto bucket = bucket_of();
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < n_buckets_; ++b) {
      if (!scratch_.open[b]) {
        scan_.skip(scratch_.counts[2 * b], scratch_.counts[2 * b + 1]);
        continue;
      }
      while (b + 1 < n_buckets_ && scratch_.open[b + 1]) ++b;  // neighbours are looked at together
      std::uint32_t end = begin;
      while (end < keys_.size() && bucket(keys_[end]) <= b) ++end;
      scan_.scan(sorted, begin, end);
      begin = end;
    }
  }

  std::vector<std::uint32_t>& keys_;
  int tag_bits_;
  std::uint32_t tag_mask_;
  GiniScanOfTwo& scan_;
  BucketScratch& scratch_;
  std::uint32_t first_key_ = 0, n_buckets_ = 0;
  int shift_ = 0;
};

}  // namespace plaintree
