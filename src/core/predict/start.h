// Where walks down a tree begin.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plaintree {

struct Start {
  std::size_t row;
  std::int32_t node;
};

// Rows first .. first + n - 1, each at the root.
struct RootStarts {
  std::size_t first, n;

  std::size_t size() const { return n; }
  Start operator[](std::size_t i) const { return {first + i, 0}; }
};

}  // namespace plaintree
