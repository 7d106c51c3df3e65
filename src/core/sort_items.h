// Sorting the rows of one node by code, where no sorted list is kept.
//
// Nodes come in all sizes, and most are small:
//   few      every element's place is counted: how many stand before it. Quadratic, but free of
//            branches that cannot be foreseen
//   more     radix sort, a byte of the code at a time; bytes in which all agree are skipped
// Equal codes stay in the order of the rows.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "training_table.h"

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

template <int kPasses, class T, class CodeOf>
void sort_many(std::vector<T>& elements, std::vector<T>& spare, CodeOf code_of) {
  const std::size_t n = elements.size();
  std::uint32_t count[kPasses][256] = {};
  for (const T& element : elements)
    for (int pass = 0; pass < kPasses; ++pass) ++count[pass][code_of(element) >> (8 * pass) & 255];
  spare.resize(n);
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t* c = count[pass];
    if (c[code_of(elements[0]) >> (8 * pass) & 255] == n) continue;
    std::uint32_t sum = 0;
    for (int b = 0; b < 256; ++b) sum += std::exchange(c[b], sum);
    T* to = spare.data();
    for (const T& element : elements) to[c[code_of(element) >> (8 * pass) & 255]++] = element;
    elements.swap(spare);
  }
}

template <class T, class CodeOf>
void sort_many(std::vector<T>& elements, std::vector<T>& spare, std::uint32_t most_code,
               CodeOf code_of) {
  switch ((std::bit_width(most_code) + 7) / 8) {
    case 1:
      return sort_many<1>(elements, spare, code_of);
    case 2:
      return sort_many<2>(elements, spare, code_of);
    case 3:
      return sort_many<3>(elements, spare, code_of);
    default:
      return sort_many<4>(elements, spare, code_of);
  }
}

inline constexpr std::size_t kFew = 48;

inline void sort_by_rank(std::vector<Item>& items, std::vector<Item>& spare,
                         std::uint32_t most_rank) {
  const auto rank = [](const Item& item) { return item.rank; };
  if (items.size() <= kFew) return sort_few(items, spare, rank);
  sort_many(items, spare, most_rank, rank);
}

// Keys of a code with a tag below it.
inline void sort_by_code(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& spare,
                         int tag_bits, std::uint32_t most_code) {
  // Few keys are compared as they are: rows of one code then come in the order of their tags.
  if (keys.size() <= kFew) return sort_few(keys, spare, [](std::uint32_t key) { return key; });
  sort_many(keys, spare, most_code, [=](std::uint32_t key) { return key >> tag_bits; });
}

}  // namespace plaintree
