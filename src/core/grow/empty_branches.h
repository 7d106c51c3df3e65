// The limit of branches without rows.
//
// A split with a branch for every category makes a node even for those that have no rows. Below a
// few splits by columns of thousands of categories almost all nodes would be of this kind.
#pragma once

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace plaintree {

inline constexpr std::size_t kMostEmptyBranches = std::size_t(1) << 22;  // of a tree

// Splits by this column, among others, would make too many branches without rows.
struct TooManyBranches : std::runtime_error {
  explicit TooManyBranches(int of_column)
      : std::runtime_error("too many branches without rows"), column(of_column) {}
  int column;
};

// Those of one tree so far, whichever thread made them.
class EmptyBranches {
 public:
  void clear() { n_ = 0; }
  void add(std::size_t n, int column) {
    if (n > 0 && (n_ += n) > kMostEmptyBranches) throw TooManyBranches(column);
  }

 private:
  std::atomic<std::size_t> n_{0};
};

}  // namespace plaintree
