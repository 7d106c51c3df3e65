// A row that is known wherever it is tested walks down one path. Where it is missing it follows
// the node's missing child, or is divided over all children in proportion to their weight; then
// the shares are carried on a small stack.
//
// Paths through a large tree wait for memory, not for arithmetic: two dozen rows are walked side by
// side so that their waits overlap.
#include "predict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "descend.h"
#include "team.h"

namespace plaintree {
namespace {

// What a step of a threshold needs, packed together: four nodes in a cache line.
struct Step {
  double threshold;
  std::int32_t attribute;  // -1 in a leaf
  std::int32_t first_child;
};

class Predictor {
 public:
  Predictor(const TreeView& tree, std::span<const ColumnView> columns,
            const PredictOptions& options)
      : tree_(tree), columns_(columns), unseen_stops_(options.unseen_stops), steps_(tree.n_nodes) {
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      steps_[i] = {tree.threshold[i], tree.attribute[i], tree.first_child[i]};
      const auto kind = static_cast<NodeKind>(tree.kind[i]);
      plain_ = plain_ && (kind == NodeKind::Leaf || kind == NodeKind::Threshold);
    }
    for (const ColumnView& column : columns) plain_ = plain_ && column.type == columns[0].type;
    answers_.reserve(tree.n_nodes);
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      const double* w = tree.class_weights + i * tree.n_classes;
      const auto heaviest = static_cast<std::int32_t>(std::max_element(w, w + tree.n_classes) - w);
      const std::int32_t label = tree.label[i];
      const bool by_label = tree.weight[i] <= 0 || (options.label_wins && w[label] == w[heaviest]);
      answers_.push_back(by_label ? label : heaviest);
    }
  }

  std::int32_t answer(std::int32_t node) const { return answers_[node]; }

  // The node where a row's single path ends, or ~node where it is to be divided.
  std::int32_t walk(std::size_t row, std::int32_t node = 0) const {
    while (steps_[node].attribute >= 0) {
      const std::int32_t branch = branch_of(tree_, columns_, node, row, unseen_stops_);
      if (branch == kStay) return node;
      if (branch == kDivide) return ~node;
      node = steps_[node].first_child + branch;
    }
    return node;
  }

  // The ends of the paths of rows first .. first + n - 1.
  void walk_block(std::size_t first, std::size_t n, std::int32_t* ends) const {
    std::size_t done = 0;
    if (plain_ && !columns_.empty()) {
      const bool single = columns_[0].type == ColumnView::Type::Float32;
      for (; done + kSideBySide <= n; done += kSideBySide) {
        if (single)
          walk_side_by_side<float>(first + done, ends + done);
        else
          walk_side_by_side<double>(first + done, ends + done);
      }
    }
    for (; done < n; ++done) ends[done] = walk(first + done);
  }

  // Calls visit(node, share) for every node that answers a part of the row.
  template <class Visit>
  void walk_divided(std::size_t row, std::vector<std::pair<std::int32_t, double>>& pending,
                    Visit visit) const {
    pending.assign(1, {0, 1.0});
    while (!pending.empty()) {
      const auto [start, share] = pending.back();
      pending.pop_back();
      const std::int32_t end = walk(row, start);
      if (end >= 0) {
        visit(end, share);
        continue;
      }
      const std::int32_t node = ~end, first = tree_.first_child[node], n = tree_.n_children[node];
      double total = 0;
      for (std::int32_t c = 0; c < n; ++c) total += tree_.weight[first + c];
      if (total <= 0)
        visit(node, share);
      else
        for (std::int32_t c = n; c-- > 0;)
          if (tree_.weight[first + c] > 0)
            pending.emplace_back(first + c, share * tree_.weight[first + c] / total);
    }
  }

  // Adds a share of a node's class distribution.
  void add_shares(std::int32_t node, double share, double* shares) const {
    if (tree_.weight[node] <= 0) {
      shares[tree_.label[node]] += share;
      return;
    }
    const double* weights = tree_.class_weights + static_cast<std::size_t>(node) * tree_.n_classes;
    for (int c = 0; c < tree_.n_classes; ++c)
      shares[c] += share * (weights[c] / tree_.weight[node]);
  }

 private:
  static constexpr int kSideBySide = 24;

  template <class Float>
  void walk_side_by_side(std::size_t first, std::int32_t* ends) const {
    std::int32_t at[kSideBySide] = {};
    bool moving = true, divided = false;
    while (moving) {
      moving = false;
      for (int i = 0; i < kSideBySide; ++i) {
        const Step& step = steps_[at[i]];
        if (step.attribute < 0) continue;
        const ColumnView& column = columns_[step.attribute];
        const Float value = *reinterpret_cast<const Float*>(
            column.data + static_cast<std::ptrdiff_t>(first + i) * column.stride);
        std::int32_t branch = value > step.threshold;
        if (value != value) [[unlikely]] {
          branch = tree_.missing_child[at[i]];
          if (branch < 0) {
            divided = true;
            continue;
          }
        }
        at[i] = step.first_child + branch;
        __builtin_prefetch(&steps_[at[i]]);
        moving = true;
      }
    }
    for (int i = 0; i < kSideBySide; ++i)
      ends[i] = divided && steps_[at[i]].attribute >= 0 ? ~at[i] : at[i];
  }

  const TreeView& tree_;
  std::span<const ColumnView> columns_;
  bool unseen_stops_;
  bool plain_ = true;  // thresholds only
  std::vector<Step> steps_;
  std::vector<std::int32_t> answers_;
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
    predictor.walk_block(first, n, ends);
    do_block(predictor, first, n, ends);
  });
}

using Pending = std::vector<std::pair<std::int32_t, double>>;

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
          predictor.walk_divided(first + i, pending, [&](std::int32_t node, double share) {
            if (share <= most) return;
            most = share;
            nodes[first + i] = node;
          });
        }
      });
}

void predict_shares(const TreeView& tree, std::span<const ColumnView> columns, std::size_t n_rows,
                    const PredictOptions& options, double* shares) {
  const std::size_t n_classes = static_cast<std::size_t>(tree.n_classes);
  for_blocks(
      tree, columns, n_rows, options,
      [&](const Predictor& predictor, std::size_t first, std::size_t n, const std::int32_t* ends) {
        Pending pending;
        for (std::size_t i = 0; i < n; ++i) {
          double* row = shares + (first + i) * n_classes;
          std::fill_n(row, n_classes, 0.0);
          const auto add = [&](std::int32_t node, double share) {
            predictor.add_shares(node, share, row);
          };
          if (ends[i] >= 0)
            add(ends[i], 1.0);
          else
            predictor.walk_divided(first + i, pending, add);
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
          predictor.walk_divided(first + i, pending, [&](std::int32_t node, double share) {
            predictor.add_shares(node, share, shares.data());
          });
          classes[first + i] = static_cast<std::int32_t>(
              std::max_element(shares.begin(), shares.end()) - shares.begin());
        }
      });
}

}  // namespace plaintree
