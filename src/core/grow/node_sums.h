// The sums of the nodes made so far: all of them, or only those above zero where classes are many.
//
// Most nodes of a deep tree have a handful of rows, and so a handful of a thousand classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace plaintree {

template <class Count>
class NodeSums {
 public:
  // The sums of one node: at these places, ascending, or at 0, 1, 2 ... if none are named.
  struct Parts {
    std::span<const std::int32_t> places;
    std::span<const Count> sums;

    std::size_t place(std::size_t i) const {
      return places.empty() ? i : static_cast<std::size_t>(places[i]);
    }
  };

  void clear() {
    sums_.clear();
    places_.clear();
    ends_.clear();
  }

  // All nodes have the same number of sums.
  void add(std::span<const Count> sums) {
    width_ = sums.size();
    if (keeps_zeros()) {
      sums_.insert(sums_.end(), sums.begin(), sums.end());
      return;
    }
    for (std::size_t i = 0; i < width_; ++i) {
      if (sums[i] == 0) continue;
      sums_.push_back(sums[i]);
      places_.push_back(static_cast<std::int32_t>(i));
    }
    ends_.push_back(sums_.size());
  }

  Parts parts(std::size_t node) const {
    if (keeps_zeros()) return {{}, {sums_.data() + node * width_, width_}};
    const std::size_t begin = node == 0 ? 0 : ends_[node - 1], n = ends_[node] - begin;
    return {{places_.data() + begin, n}, {sums_.data() + begin, n}};
  }

  // All sums of a node, at the end of others.
  void append(std::size_t node, std::vector<Count>& to) const {
    const std::size_t begin = to.size();
    to.resize(begin + width_);
    const Parts found = parts(node);
    for (std::size_t i = 0; i < found.sums.size(); ++i) to[begin + found.place(i)] = found.sums[i];
  }
  void read(std::size_t node, std::vector<Count>& to) const {
    to.clear();
    append(node, to);
  }

  void fetch(std::size_t node) const {
    if (keeps_zeros()) __builtin_prefetch(sums_.data() + node * width_);
  }

 private:
  static constexpr std::size_t kFew = 32;
  bool keeps_zeros() const { return width_ <= kFew; }

  std::size_t width_ = 0;
  std::vector<Count> sums_;
  std::vector<std::int32_t> places_;  // of sums_, where zeros are left out
  std::vector<std::size_t> ends_;     // by node, in sums_; likewise
};

}  // namespace plaintree
