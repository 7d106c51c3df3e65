// Thresholds that are training values: the greatest ones not above the middles, looked up in the
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "levels/growth.h"
#include "tree/tree_arrays.h"

namespace plaintree {

template <Statistics S>
class DataValues {
 public:
  explicit DataValues(Growth<S>& growth) : g_(growth) {}

  bool prepare(Request& request) {
    if (!g_.facts.data_value_thresholds) return false;
    std::map<std::int32_t, std::vector<double>> numbers;
    const auto add = [&](const GrownNode& node) {
      if (node.n_children > 0 && node.kind == NodeKind::Threshold)
        numbers[node.attribute].push_back(node.threshold);
    };
    for (const GrownNode& node : g_.nodes.nodes) add(node);
    for (const auto& subtree : g_.nodes.subtrees)
      for (std::size_t i = 0; i < subtree->nodes.size(); ++i) add(subtree->nodes[i]);
    for (auto& [column, own] : numbers) {
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      request.precede.push_back({column, own});
    }
    return !numbers.empty();
  }
  void take(const Request& request, const Reply& reply) {
    for (std::size_t p = 0; p < request.precede.size(); ++p) {
      const Precede& own = request.precede[p];
      double greatest = -kInfinity;
      for (std::size_t i = 0; i < own.numbers.size(); ++i) {
        greatest = std::max(greatest, reply.preceding[p][i]);
        thresholds_[{own.column, own.numbers[i]}] = greatest;
      }
    }
  }
  void replace(TreeArrays& tree) const {
    for (std::size_t i = 0; i < tree.threshold.size(); ++i) {
      const auto at = thresholds_.find({tree.attribute[i], tree.threshold[i]});
      if (at != thresholds_.end()) tree.threshold[i] = at->second;
    }
  }

 private:
  Growth<S>& g_;
  std::map<std::pair<std::int32_t, double>, double> thresholds_;
};

}  // namespace plaintree
