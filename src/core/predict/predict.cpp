#include "predict/predict.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/team.h"
#include "predict/walker.h"

namespace plaintree {
namespace {

// A view of a tree with what walking needs beside it.
class Predictor {
 public:
  Predictor(const TreeView& tree, std::span<const ColumnView> columns,
            const PredictOptions& options)
      : tree_(tree), steps_(tree.n_nodes) {
    bool thresholds_only = tree.surrogates.empty();
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      steps_[i] = {tree.threshold[i], tree.attribute[i], tree.first_child[i]};
      const auto kind = static_cast<NodeKind>(tree.kind[i]);
      thresholds_only = thresholds_only && (kind == NodeKind::Leaf || kind == NodeKind::Threshold);
    }
    walker_.emplace(tree_, steps_.data(), thresholds_only, columns, options.unseen_stops);
  }

  std::int32_t answer(std::int32_t node) const { return tree_.label[node]; }
  const Walker<TreeView>& walker() const { return *walker_; }
  void add_shares(std::int32_t node, double share, double* shares) const {
    tree_.add_shares(node, share, shares);
  }

 private:
  const TreeView& tree_;
  std::vector<Step> steps_;
  std::optional<Walker<TreeView>> walker_;
};

// Calls do_block(predictor, first row, rows, ends of their paths) for blocks of rows.
template <class DoBlock>
void for_blocks(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                const PredictOptions& options, DoBlock do_block) {
  const Predictor predictor(tree, columns, options);
  constexpr std::size_t kBlock = 4032;  // a multiple of the rows walked side by side
  const int n_blocks = static_cast<int>((n_rows + kBlock - 1) / kBlock);
  Watch watch(options.interrupted);
  Team team(n_blocks > 1 ? options.n_threads : 1, watch);
  team.run(n_blocks, [&](int block, int) {
    const std::size_t first = static_cast<std::size_t>(block) * kBlock;
    const std::size_t n = std::min(kBlock, n_rows - first);
    std::int32_t ends[kBlock];
    predictor.walker().walk_block(RootStarts{first, n}, ends);
    do_block(predictor, first, n, ends);
  });
}

// The first class of the least expected cost, but for rounding.
std::int32_t cheapest(const std::vector<double>& shares, const double* costs) {
  constexpr double kRounding = 1e-12;
  const std::size_t n = shares.size();
  std::vector<double> expected(n, 0.0);
  for (std::size_t actual = 0; actual < n; ++actual)
    for (std::size_t c = 0; c < n; ++c) expected[c] += shares[actual] * costs[actual * n + c];
  const double least = *std::min_element(expected.begin(), expected.end());
  const auto first = std::find_if(expected.begin(), expected.end(),
                                  [=](double cost) { return cost <= least + kRounding; });
  return static_cast<std::int32_t>(first - expected.begin());
}

}  // namespace

void predict_nodes(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                   const PredictOptions& options, std::int32_t* nodes) {
  for_blocks(
      tree, columns, n_rows, options,
      [&](const Predictor& predictor, std::size_t first, std::size_t n, const std::int32_t* ends) {
        Pending pending;
        for (std::size_t i = 0; i < n; ++i) {
          nodes[first + i] = ends[i];
          if (ends[i] >= 0) continue;
          double most = -1;
          predictor.walker().walk_divided(first + i, pending, [&](std::int32_t node, double share) {
            if (share <= most) return;
            most = share;
            nodes[first + i] = node;
          });
        }
      });
}

void predict_shares(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                    const PredictOptions& options, double* shares) {
  const std::size_t n_outputs = tree.n_outputs();
  for_blocks(
      tree, columns, n_rows, options,
      [&](const Predictor& predictor, std::size_t first, std::size_t n, const std::int32_t* ends) {
        Pending pending;
        for (std::size_t i = 0; i < n; ++i) {
          double* row = shares + (first + i) * n_outputs;
          std::fill_n(row, n_outputs, 0.0);
          const auto add = [&](std::int32_t node, double share) {
            predictor.add_shares(node, share, row);
          };
          if (ends[i] >= 0)
            add(ends[i], 1.0);
          else
            predictor.walker().walk_divided(first + i, pending, add);
        }
      });
}

void predict_classes(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                     const PredictOptions& options, std::int32_t* classes) {
  const std::size_t n_classes = static_cast<std::size_t>(tree.n_classes);
  for_blocks(
      tree, columns, n_rows, options,
      [&](const Predictor& predictor, std::size_t first, std::size_t n, const std::int32_t* ends) {
        Pending pending;
        std::vector<double> shares(n_classes);
        for (std::size_t i = 0; i < n; ++i) {
          if (ends[i] >= 0) {
            classes[first + i] = predictor.answer(ends[i]);
            continue;
          }
          std::fill(shares.begin(), shares.end(), 0.0);
          predictor.walker().walk_divided(first + i, pending, [&](std::int32_t node, double share) {
            predictor.add_shares(node, share, shares.data());
          });
          classes[first + i] = tree.costs ? cheapest(shares, tree.costs) : greatest_share(shares);
        }
      });
}

}  // namespace plaintree
