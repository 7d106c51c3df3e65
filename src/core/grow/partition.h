// Moving a node's rows to its children.
//
// Two branches are distinguished by one bit a row; more of them, or rows that go to several, by a
// number a row. Children that are leaves need no rows and are left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/open_node.h"

namespace plaintree {

inline constexpr std::uint32_t kEveryBranch = 0xFFFFFFFFu;
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFEu;  // the row stays at the node

// Where each row of the node being split goes. Indexed by row number of the whole table, and
// written for every row of the node before it is read.
struct Routing {
  bool two_way = true;
  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> branches;

  void set_two_way(std::uint32_t row, bool second) {
    const std::uint64_t bit = std::uint64_t(1) << (row & 63);
    std::uint64_t& word = bits[row >> 6];
    word = second ? word | bit : word & ~bit;
  }
  bool second(std::uint32_t row) const { return bits[row >> 6] >> (row & 63) & 1; }
};

// A branch's place in the arrays after the split.
struct Place {
  bool kept = false;
  std::uint32_t begin = 0, size = 0;
  std::uint32_t n_rows = 0;  // as often as they were drawn
};

inline Entry entry_of(Entry e) { return e; }
inline Entry entry_of(const Item& item) { return item.entry; }

// Stable: the first branch's elements before the second's, each in its old order.
template <class T>
void partition_two(const TrainingTable& table, const Routing& routing, T* elements, std::uint32_t n,
                   const Place& first, const Place& second, std::vector<T>& scratch) {
  if (!second.kept) {
    std::uint32_t to = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const T element = elements[i];
      elements[to] = element;
      to += !routing.second(table.row(entry_of(element)));
    }
    return;
  }
  if (!first.kept) {
    std::uint32_t to = n;
    for (std::uint32_t i = n; i-- > 0;) {
      const T element = elements[i];
      elements[to - 1] = element;
      to -= routing.second(table.row(entry_of(element)));
    }
    return;
  }
  if (scratch.size() < second.size + 1) scratch.resize(second.size + 1);
  T* others = scratch.data();
  std::uint32_t to = 0, to_other = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const T element = elements[i];
    const bool is_second = routing.second(table.row(entry_of(element)));
    elements[to] = element;
    others[to_other] = element;
    to += !is_second;
    to_other += is_second;
  }
  std::copy_n(others, to_other, elements + to);
}

// Any number of branches: kept ones in order, rows of kEveryBranch into each branch in `shared`,
// those of kNowhere into none.
template <class T>
void partition_many(const TrainingTable& table, const Routing& routing, std::vector<T>& elements,
                    std::uint32_t begin, std::uint32_t end, const std::vector<Place>& places,
                    const std::vector<std::uint32_t>& shared, std::vector<T>& scratch) {
  std::vector<std::uint32_t> next;
  std::uint32_t total = 0;
  for (const Place& place : places) {
    next.push_back(place.begin - begin);
    if (place.kept) total += place.size;
  }
  scratch.resize(std::max<std::size_t>(scratch.size(), total));
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t branch = routing.branches[table.row(entry_of(elements[i]))];
    if (branch == kEveryBranch) {
      for (const std::uint32_t b : shared)
        if (places[b].kept) scratch[next[b]++] = elements[i];
    } else if (branch != kNowhere && places[branch].kept) {
      scratch[next[branch]++] = elements[i];
    }
  }
  if (elements.size() < begin + total) elements.resize(begin + total);
  std::copy_n(scratch.begin(), total, elements.begin() + begin);
}

}  // namespace plaintree
