// Buffers for large arrays. In large pages, where the system has them, a processor finds an address
// without looking it up in memory first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plaintree {

// As reserve() of an empty vector; asks before the memory is touched, when it is still free to
// choose. A refusal does no harm.
template <class T>
void reserve_large(std::vector<T>& array, std::size_t n) {
  array.reserve(n);
#ifdef __linux__
  constexpr std::size_t kPage = 1 << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  const std::uintptr_t end = begin + n * sizeof(T), first = (begin + kPage - 1) / kPage * kPage;
  if (end > first && end - first >= kPage)
    madvise(reinterpret_cast<void*>(first), (end - first) / kPage * kPage, MADV_HUGEPAGE);
#endif
}

template <class T>
void resize_large(std::vector<T>& array, std::size_t n) {
  reserve_large(array, n);
  array.resize(n);
}

// Resizes a buffer to n elements at least; a reallocation loses what was in it.
template <class T>
void make_room(std::vector<T>& array, std::size_t n) {
  if (array.size() >= n) return;
  array = {};
  resize_large(array, n);
}

// Once large arrays are gone: what is free between smaller ones goes back to the system.
inline void give_back_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace plaintree
