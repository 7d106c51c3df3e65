// Numbers as whole ones that sort in the same way: compared, counted and routed by their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace plaintree {

template <class Float>
using SortKey = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

// -0.0 is made 0.0; a NaN has no place in the order and must be looked for before.
template <class Float>
SortKey<Float> sort_key(Float value) {
  using Key = SortKey<Float>;
  value += Float(0);  // -0.0 + 0.0 is 0.0
  const Key bits = std::bit_cast<Key>(value);
  constexpr Key kSign = Key(1) << (sizeof(Key) * 8 - 1);
  return (bits & kSign) ? ~bits : bits | kSign;
}

template <class Float>
Float value_of_key(SortKey<Float> key) {
  using Key = SortKey<Float>;
  constexpr Key kSign = Key(1) << (sizeof(Key) * 8 - 1);
  return std::bit_cast<Float>((key & kSign) ? key ^ kSign : static_cast<Key>(~key));
}

}  // namespace plaintree
