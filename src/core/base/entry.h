// Row numbers with what scanning needs in their low bits.
#pragma once

#include <cstdint>

namespace plaintree {

using Entry = std::uint32_t;
inline constexpr int kRepeatBits = 4;  // rows drawn more often than 16 times have several entries

// Where an entry holds what. Loops that write counts had better have a copy of it: for all the
// compiler knows, counts might be the table's own fields.
struct EntryBits {
  int class_bits = 0;   // low bits of an entry; 0: look the class up
  int repeat_bits = 0;  // the bits above them; 0: rows are not repeated

  int tag_bits() const { return class_bits + repeat_bits; }
  Entry tag_mask() const { return (Entry(1) << tag_bits()) - 1; }
  std::uint32_t row(Entry e) const { return e >> tag_bits(); }
  int class_of(Entry e) const { return static_cast<int>(e & ((1u << class_bits) - 1)); }
  // How often a row is there.
  std::int32_t times(Entry e) const {
    return 1 + static_cast<std::int32_t>(e >> class_bits & ((1u << repeat_bits) - 1));
  }
};

}  // namespace plaintree
