// Natural numbers of up to 512 bits: exact products of sums.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace plaintree {

class Natural {
  __extension__ typedef unsigned __int128 Double;

 public:
  Natural(std::uint64_t value = 0) : limbs_{value} {}
  static Natural wide(Double value) {
    Natural result(static_cast<std::uint64_t>(value));
    result.limbs_[1] = static_cast<std::uint64_t>(value >> 64);
    return result;
  }

  Natural& operator+=(const Natural& other) {
    Double carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      carry += Double(limbs_[i]) + other.limbs_[i];
      limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return *this;
  }
  friend Natural operator+(Natural a, const Natural& b) { return a += b; }
  friend Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      if (a.limbs_[i] == 0) continue;
      Double carry = 0;
      for (std::size_t j = 0; i + j < kLimbs; ++j) {
        carry += Double(a.limbs_[i]) * b.limbs_[j] + product.limbs_[i + j];
        product.limbs_[i + j] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
      }
    }
    return product;
  }
  friend std::strong_ordering operator<=>(const Natural& a, const Natural& b) {
    for (std::size_t i = kLimbs; i-- > 0;)
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    return std::strong_ordering::equal;
  }
  friend bool operator==(const Natural& a, const Natural& b) = default;

 private:
  static constexpr std::size_t kLimbs = 8;
  std::array<std::uint64_t, kLimbs> limbs_;  // the lowest first
};

}  // namespace plaintree
