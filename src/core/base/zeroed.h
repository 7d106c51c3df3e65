// Large arrays that are mostly zero: pages that are never written take no memory.
#pragma once

#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace plaintree {

// Memory is zero as the system gives it, so resize() need not write. The array must not be made
// shorter and then longer again.
template <class T>
struct ZeroedAllocator {
  static_assert(std::is_arithmetic_v<T>);
  using value_type = T;

  ZeroedAllocator() = default;
  template <class U>
  ZeroedAllocator(const ZeroedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (void* found = std::calloc(n, sizeof(T))) return static_cast<T*>(found);
    throw std::bad_alloc();
  }
  void deallocate(T* array, std::size_t) { std::free(array); }
  void construct(T*) {}
  template <class... Values>
  void construct(T* at, Values&&... values) {
    ::new (static_cast<void*>(at)) T(std::forward<Values>(values)...);
  }
  bool operator==(const ZeroedAllocator&) const { return true; }
};

template <class T>
using Zeroed = std::vector<T, ZeroedAllocator<T>>;

}  // namespace plaintree
