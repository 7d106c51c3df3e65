// Sorting by whole numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plaintree {

// Sorts by key_of(element): least significant digit first, a byte a pass, passes in which all keys
// agree are skipped. Equal keys keep their order. `spare` is scratch.
template <class Keyed, class KeyOf>
void radix_sort(std::vector<Keyed>& elements, std::vector<Keyed>& spare, KeyOf key_of) {
  constexpr int kBits = 8;
  constexpr int kPasses = (sizeof(key_of(Keyed{})) * 8 + kBits - 1) / kBits;
  constexpr std::uint32_t kBuckets = 1u << kBits;
  const auto digit = [&](const Keyed& e, int pass) {
    return static_cast<std::uint32_t>(key_of(e) >> (pass * kBits)) & (kBuckets - 1);
  };
  std::vector<std::uint32_t> count(static_cast<std::size_t>(kPasses) * kBuckets, 0);
  for (const Keyed& e : elements)
    for (int pass = 0; pass < kPasses; ++pass) ++count[pass * kBuckets + digit(e, pass)];
  spare.resize(elements.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t* c = &count[static_cast<std::size_t>(pass) * kBuckets];
    if (std::find(c, c + kBuckets, elements.size()) != c + kBuckets) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t b = 0; b < kBuckets; ++b) sum += std::exchange(c[b], sum);
    for (const Keyed& e : elements) spare[c[digit(e, pass)]++] = e;
    elements.swap(spare);
  }
}

}  // namespace plaintree
