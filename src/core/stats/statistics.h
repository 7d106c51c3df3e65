// Statistics: what a group of rows is summed up to.
//
// A group is `width` integers, so sums are exact in any order of rows, threads and machines.
// Merging, subtracting and storing groups are loops over `width`, whatever they count. The grow
// loop, the router and the count tables are templates of the statistics and know nothing else of
// the target.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "base/entry.h"
#include "stats/sums.h"

namespace plaintree {

template <class S>
concept Statistics = requires(const S& statistics, typename S::Sum* group,
                              const typename S::Sum* sums, Entry entry, typename S::Weight weight) {
  typename SumsOf<typename S::Sum>::Measure;
  { statistics.width() } -> std::same_as<int>;
  statistics.add(group, entry, weight);                          // one row more
  { statistics.weight(sums) } -> std::same_as<typename S::Sum>;  // of all rows in the group
  { statistics.is_pure(sums) } -> std::same_as<bool>;            // known to need no split
  { statistics.label(sums) } -> std::same_as<std::int32_t>;      // the class a leaf predicts
};

// The class of the largest weight, the first one on ties.
template <class Weight>
std::int32_t majority_class(const Weight* weights, int n_classes) {
  std::int32_t best = 0;
  Weight most = weights[0];
  for (int c = 1; c < n_classes; ++c) {
    best = weights[c] > most ? c : best;
    most = std::max(most, weights[c]);
  }
  return best;
}

// The weight of each class, in units: rows in 32 bits, or multiples of a unit in 64.
template <class Count>
class ClassCounts {
 public:
  using Sum = Count;
  using Weight = Count;

  // `classes`: of every row; null where entries hold them.
  ClassCounts(const EntryBits& bits, const std::int32_t* classes, int n_classes)
      : bits_(bits), classes_(classes), n_classes_(n_classes) {}

  int width() const { return n_classes_; }
  int class_of(Entry entry) const { return classes_ ? classes_[entry] : bits_.class_of(entry); }
  // Whether the low bits of an entry are all that `add` reads of it.
  bool in_entry() const { return !classes_; }
  void add(Sum* group, Entry entry, Sum weight) const { group[class_of(entry)] += weight; }
  Sum weight(const Sum* sums) const {
    Sum total = 0;
    for (int c = 0; c < n_classes_; ++c) total += sums[c];
    return total;
  }
  bool is_pure(const Sum* sums) const {
    return *std::max_element(sums, sums + n_classes_) == weight(sums);
  }
  std::int32_t label(const Sum* sums) const {
    if constexpr (sizeof(Sum) < sizeof(double)) {
      return majority_class(sums, n_classes_);
    } else {  // by the weights that a tree stores, which are rounded
      std::int32_t best = 0;
      for (int c = 1; c < n_classes_; ++c)
        if (static_cast<double>(sums[c]) > static_cast<double>(sums[best])) best = c;
      return best;
    }
  }

 private:
  EntryBits bits_;
  const std::int32_t* classes_;
  int n_classes_;
};

// The same of rows that have few of the classes. These are numbered 0, 1, 2 ... in their order; all
// others have the last number, and no weight.
template <class Count>
class FewClassCounts {
 public:
  using Sum = Count;
  using Weight = Count;

  FewClassCounts(const ClassCounts<Count>& all, const std::int32_t* numbers, int width)
      : all_(all), own_(EntryBits{}, nullptr, width), numbers_(numbers) {}

  int width() const { return own_.width(); }
  int class_of(Entry entry) const { return numbers_[all_.class_of(entry)]; }
  void add(Sum* group, Entry entry, Sum weight) const { group[class_of(entry)] += weight; }
  Sum weight(const Sum* sums) const { return own_.weight(sums); }
  bool is_pure(const Sum* sums) const { return own_.is_pure(sums); }
  std::int32_t label(const Sum* sums) const { return own_.label(sums); }

 private:
  const ClassCounts<Count>& all_;
  ClassCounts<Count> own_;
  const std::int32_t* numbers_;  // by class
};

// The weight and the weighted sum of a numeric target, both in units.
class TargetSums {
 public:
  using Sum = WideInt;
  using Weight = std::int64_t;

  // `targets`: of every row.
  TargetSums(const EntryBits& bits, const std::int64_t* targets) : bits_(bits), targets_(targets) {}

  int width() const { return 2; }
  std::int64_t target_of(Entry entry) const { return targets_[bits_.row(entry)]; }
  bool in_entry() const { return false; }
  void add(Sum* group, Entry entry, Weight weight) const {
    group[0] += weight;
    group[1] += static_cast<WideInt>(target_of(entry)) * weight;
  }
  Sum weight(const Sum* sums) const { return sums[0]; }
  // Sums cannot distinguish equal targets from others of the same mean.
  bool is_pure(const Sum* /*sums*/) const { return false; }
  std::int32_t label(const Sum* /*sums*/) const { return 0; }

 private:
  EntryBits bits_;
  const std::int64_t* targets_;
};

using RowCounts = ClassCounts<std::int32_t>;   // rows count as often as they are there
using WeightSums = ClassCounts<std::int64_t>;  // rows have weights, or are divided
static_assert(Statistics<RowCounts> && Statistics<WeightSums>);
static_assert(Statistics<FewClassCounts<std::int32_t>> && Statistics<TargetSums>);

}  // namespace plaintree
