// A column as the caller holds it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plaintree {

// Strided, never copied. Numbers: NaN is missing.
// Codes: -1 is missing, -2 (prediction only) a category that training did not have.
struct ColumnView {
  enum class Type : std::uint8_t { Float32, Float64, Codes };
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;  // bytes
  Type type = Type::Float64;
  int n_categories = 0;  // of codes

  const std::byte* at(std::size_t row) const {
    return data + static_cast<std::ptrdiff_t>(row) * stride;
  }
  double number(std::size_t row) const {
    if (type == Type::Float32) return *reinterpret_cast<const float*>(at(row));
    return *reinterpret_cast<const double*>(at(row));
  }
  std::int32_t code(std::size_t row) const {
    return *reinterpret_cast<const std::int32_t*>(at(row));
  }
};

}  // namespace plaintree
