// Sorting the rows of one node by code, where no sorted list is kept.
//
// Nodes come in all sizes, and most are small:
//   few      every element's place is counted: how many stand before it. Quadratic, but free of
//            branches that cannot be foreseen
//   some     keys are put into about as many buckets as there are keys; few are in the wrong order
//            then, and these are moved one by one
//   more     radix sort, a byte of the code at a time; bytes in which all agree are skipped
// Equal codes stay in the order of the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "table/training_table.h"

namespace plaintree {

template <class T, class CodeOf>
void sort_few(std::vector<T>& elements, std::vector<T>& spare, CodeOf code_of) {
  const std::size_t n = elements.size();
  spare.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t code = code_of(elements[i]);
    std::uint32_t place = 0;
    for (std::size_t j = 0; j < i; ++j) place += code_of(elements[j]) <= code;
    for (std::size_t j = i + 1; j < n; ++j) place += code_of(elements[j]) < code;
    spare[place] = elements[i];
  }
  elements.swap(spare);
}

// Sorts a handful of keys; `sorted` may be of the other sign. A key's place is the number of keys
// below it. Equal ones have the same place, and the places after it that are free are theirs. Both
// arrays have room for a multiple of eight.
template <class Key>
void sort_by_place(const std::int32_t* keys, std::uint32_t n, Key* sorted) {
  constexpr std::uint32_t kLanes = 8;
  std::fill_n(sorted, n, Key(0));
  for (std::uint32_t begin = 0; begin < n; begin += kLanes) {
    std::int32_t places[kLanes] = {};
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        places[lane] += keys[i] < keys[begin + lane];  // signed: compared faster
    const std::uint32_t n_here = std::min(kLanes, n - begin);
    for (std::uint32_t lane = 0; lane < n_here; ++lane)
      sorted[places[lane]] = static_cast<Key>(keys[begin + lane]);
  }
  for (std::uint32_t i = 1; i < n; ++i) sorted[i] = std::max(sorted[i], sorted[i - 1]);
}

// Counts of the digits of codes, one set for each pass.
template <int kPasses>
struct DigitCounts {
  std::uint32_t of[kPasses][256] = {};

  void add(std::uint32_t code) {
    for (int pass = 0; pass < kPasses; ++pass) ++of[pass][code >> (8 * pass) & 255];
  }
};

template <int kPasses, class T, class CodeOf>
void sort_counted(std::vector<T>& elements, std::vector<T>& spare, DigitCounts<kPasses>& counts,
                  CodeOf code_of) {
  const std::size_t n = elements.size();
  spare.resize(n);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t* c = counts.of[pass];
    if (c[code_of(elements[0]) >> (8 * pass) & 255] == n) continue;
    std::uint32_t sum = 0;
    for (int b = 0; b < 256; ++b) sum += std::exchange(c[b], sum);
    T* to = spare.data();
    for (const T& element : elements) to[c[code_of(element) >> (8 * pass) & 255]++] = element;
    elements.swap(spare);
  }
}

// Makes elements one by one (make(i) for i below n) and sorts them by code.
template <int kPasses, class T, class Make, class CodeOf>
void make_and_sort(std::vector<T>& elements, std::vector<T>& spare, Make make, CodeOf code_of) {
  DigitCounts<kPasses> counts;
  T* to = elements.data();
  const std::size_t n = elements.size();
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = make(i);
    counts.add(code_of(to[i]));
  }
  sort_counted(elements, spare, counts, code_of);
}

inline constexpr std::size_t kFew = 40, kSome = 512;

// The same, by what suits the number of elements and the greatest code.
template <class T, class Make, class CodeOf>
void make_sorted(std::vector<T>& elements, std::vector<T>& spare, std::size_t n,
                 std::uint32_t most_code, Make make, CodeOf code_of) {
  elements.resize(n);
  if (n <= kFew) {
    for (std::size_t i = 0; i < n; ++i) elements[i] = make(i);
    return sort_few(elements, spare, code_of);
  }
  if (most_code < 1u << 8) return make_and_sort<1>(elements, spare, make, code_of);
  if (most_code < 1u << 16) return make_and_sort<2>(elements, spare, make, code_of);
  if (most_code < 1u << 24) return make_and_sort<3>(elements, spare, make, code_of);
  make_and_sort<4>(elements, spare, make, code_of);
}

// Sorts up to kSome keys (codes with a tag below them), unless they crowd in so few buckets that
// many would have to be moved far: then they stay in some order, and false is returned.
inline bool sort_some(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& spare,
                      int tag_bits) {
  const auto n = static_cast<std::uint32_t>(keys.size());
  const std::uint32_t mask = (1u << tag_bits) - 1;
  std::uint32_t least = keys[0], most = keys[0];
  for (const std::uint32_t key : keys) {
    least = std::min(least, key);
    most = std::max(most, key);
  }
  least &= ~mask;
  const int width = static_cast<int>(std::bit_width(most - least));
  const int shift = std::max(tag_bits, width - static_cast<int>(std::bit_width(2 * n - 1)));
  const std::uint32_t n_buckets = ((most - least) >> shift) + 1;
  std::uint32_t places[4 * kSome + 1];  // where each bucket begins
  std::fill_n(places, n_buckets + 1, 0u);
  for (const std::uint32_t key : keys) ++places[((key - least) >> shift) + 1];
  for (std::uint32_t b = 1; b < n_buckets; ++b) places[b] += places[b - 1];
  spare.resize(n);
  std::uint32_t* to = spare.data();
  for (const std::uint32_t key : keys) to[places[(key - least) >> shift]++] = key;
  keys.swap(spare);
  if (shift == tag_bits) return true;
  std::uint32_t moved = 0;
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t key = to[i], last = key | mask;  // greater ones stand in the way
    if (to[i - 1] <= last) [[likely]]
      continue;
    std::uint32_t place = i;
    do to[place] = to[place - 1];
    while (--place > 0 && to[place - 1] > last);
    to[place] = key;
    moved += i - place;
    if (moved > 8 * n) return false;
  }
  return true;
}

// Makes keys (make(i) for i below n) and sorts them by code.
template <class Make>
void make_sorted_keys(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& spare,
                      std::size_t n, std::uint32_t most_code, int tag_bits, Make make) {
  const auto code_of = [=](std::uint32_t key) { return key >> tag_bits; };
  if (n <= kFew || n > kSome) return make_sorted(keys, spare, n, most_code, make, code_of);
  keys.resize(n);
  std::uint32_t* to = keys.data();
  for (std::size_t i = 0; i < n; ++i) to[i] = make(i);
  if (sort_some(keys, spare, tag_bits)) return;
  const auto made = [from = keys.data()](std::size_t i) { return from[i]; };
  make_sorted(keys, spare, n, most_code, made, code_of);
}

}  // namespace plaintree
