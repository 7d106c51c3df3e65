// Error-based pruning, as C4.5 R8 does it, for a node and the rows that reach it:
//   1. the node as a leaf: its errors and the additional ones
//   2. the rows go to the branches; the branches are pruned first; their errors add up
//   3. all rows go to the largest branch instead: its errors as it stands now
//   4. the leaf wins if it is within 0.1 of both others; otherwise the largest branch, if within
//   0.1
//      of the tree, takes the node's place and is pruned again with all rows
// Work in progress is kept on a stack of frames: a tree may be deeper than the call stack.
#include "prune/prune.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/team.h"
#include "grow/finish.h"
#include "predict/descend.h"
#include "stats/weight_units.h"

namespace plaintree {

double additional_errors(double cases, double errors, double confidence) {
  static constexpr double kLevel[] = {0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00};
  static constexpr double kDeviate[] = {4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00};
  int i = 0;
  while (confidence > kLevel[i]) ++i;
  double z = kDeviate[i];
  if (i > 0)
    z = kDeviate[i - 1] + (kDeviate[i] - kDeviate[i - 1]) * (confidence - kLevel[i - 1]) /
                              (kLevel[i] - kLevel[i - 1]);
  const double k = z * z;
  if (errors < 1e-6) return cases * (1 - std::exp(std::log(confidence) / cases));
  if (errors < 0.9999) {
    const double none = cases * (1 - std::exp(std::log(confidence) / cases));
    return none + errors * (additional_errors(cases, 1.0, confidence) - none);
  }
  if (errors + 0.5 >= cases) return 0.67 * (cases - errors);
  const double e = errors + 0.5;
  const double p = (e + k / 2 + std::sqrt(k * (e * (1 - e / cases) + k / 4))) / (cases + k);
  return cases * p - errors;
}

namespace {

using Count = std::int64_t;

struct WeightedRow {
  std::uint32_t row;
  Count weight;
};
using RowSet = std::vector<WeightedRow>;

// A node that can still change. `origin` is the node of the given tree whose test it makes.
struct PrunedNode {
  std::int32_t origin = 0;
  bool leaf = true;
  std::int32_t label = 0;
  std::uint32_t n_rows = 0;
  double errors = 0;
  std::vector<Count> counts;
  std::vector<std::int32_t> children;
};

// The rows of a node, by branch.
struct Parts {
  std::vector<RowSet> branches;  // divided rows are in several, with the weight they have there
  RowSet divided;                // with the weight they have in the node
  int largest = -1;              // the branch with most known weight, the last one on ties
};

// A node whose pruning is under way. While its branches are pruned, its rows are lent to them: a
// row lies in one frame, or in as many as it was divided over, however deep the tree is.
struct Frame {
  std::int32_t node;
  RowSet rows;  // empty while they are in `parts`
  Parts parts;
  std::size_t next = 0;  // the branch to be pruned next
  double leaf_errors = 0, tree_errors = 0;
};

class ErrorBasedPruner {
 public:
  ErrorBasedPruner(const TreeView& tree, std::span<const ColumnView> columns,
                   std::span<const std::int32_t> classes, double confidence, double unit,
                   Watch& watch)
      : tree_(tree),
        columns_(columns),
        classes_(classes),
        confidence_(confidence),
        unit_(unit),
        watch_(watch) {
    nodes_.resize(tree.n_nodes);
    for (std::size_t i = 0; i < tree.n_nodes; ++i) {
      PrunedNode& node = nodes_[i];
      node.origin = static_cast<std::int32_t>(i);
      node.leaf = tree.attribute[i] < 0;
      node.label = tree.label[i];
      for (int c = 0; c < tree.n_classes; ++c)
        node.counts.push_back(std::llrint(tree.class_weights[i * tree.n_classes + c] / unit));
      for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
        node.children.push_back(tree.first_child[i] + c);
    }
  }

  void prune(RowSet rows) {
    std::vector<Frame> frames;
    frames.push_back(begin(0, std::move(rows)));
    while (!frames.empty()) {
      watch_.poll();
      Frame& frame = frames.back();
      std::vector<RowSet>& branches = frame.parts.branches;
      while (frame.next < branches.size() && branches[frame.next].empty()) ++frame.next;
      if (frame.next < branches.size()) {
        const std::int32_t child = nodes_[frame.node].children[frame.next];
        frames.push_back(begin(child, std::move(branches[frame.next])));
        continue;
      }
      if (!settle(frame)) continue;  // replaced by its largest branch, which is pruned again
      const double errors = nodes_[frame.node].errors;
      RowSet rows = std::move(frame.rows);
      frames.pop_back();
      if (frames.empty()) break;
      Frame& parent = frames.back();
      parent.tree_errors += errors;
      parent.parts.branches[parent.next++] = std::move(rows);
    }
  }

  PrunedTree result(const Measure& measure) {
    GrownNodes<Count> grown;
    std::vector<double> errors;
    std::vector<std::int32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PrunedNode& node = nodes_[order[i]];
      grown.add(node.counts, node.n_rows, node.label);
      errors.push_back(node.errors);
      if (node.leaf) continue;
      GrownNode& out = grown.nodes[i];
      const std::int32_t origin = node.origin;
      out.kind = static_cast<NodeKind>(tree_.kind[origin]);
      out.attribute = tree_.attribute[origin];
      out.threshold = tree_.threshold[origin];
      out.missing_child = tree_.missing_child[origin];
      out.score = tree_.score[origin];
      out.n_tied = tree_.n_tied[origin];
      if (!tree_.surrogates.empty())
        for (std::int64_t s = tree_.surrogates.begin[origin]; s < tree_.surrogates.end[origin]; ++s)
          grown.surrogates[static_cast<std::uint32_t>(i)].push_back(tree_.surrogates[s]);
      out.first_child = static_cast<std::uint32_t>(order.size());
      out.n_children = static_cast<std::uint32_t>(node.children.size());
      out.levels = static_cast<std::int32_t>(grown.levels.size());
      grown.levels.emplace_back(tree_.levels + tree_.level_begin[origin],
                                tree_.levels + tree_.level_end[origin]);
      order.insert(order.end(), node.children.begin(), node.children.end());
    }
    return {finish(grown, measure), std::move(errors)};
  }

 private:
  // Steps 1 and the first half of 2: counts, and the rows of the branches.
  Frame begin(std::int32_t index, RowSet rows) {
    Frame frame;
    frame.node = index;
    frame.rows = std::move(rows);
    restart(frame);
    return frame;
  }
  void restart(Frame& frame) {
    PrunedNode& node = nodes_[frame.node];
    node.counts = counts_of(frame.rows);
    node.label = best_class(node.counts, node.label);
    node.n_rows = static_cast<std::uint32_t>(frame.rows.size());
    frame.leaf_errors = estimate(node.counts, node.label);
    frame.tree_errors = 0;
    frame.next = 0;
    frame.parts = {};
    if (!node.leaf) frame.parts = parts_of(node, std::exchange(frame.rows, {}));
  }

  // Steps 3 and 4. False: the node is now its largest branch and has to be pruned again.
  bool settle(Frame& frame) {
    PrunedNode& node = nodes_[frame.node];
    if (node.leaf) {
      node.errors = frame.leaf_errors;
      return true;
    }
    constexpr double kSlack = 0.1;
    const int largest = frame.parts.largest;
    frame.rows = united(node, std::exchange(frame.parts, {}));
    const std::int32_t branch = largest < 0 ? -1 : node.children[largest];
    const double branch_errors = branch < 0 ? kInfinity : errors_below(branch, frame.rows);
    if (frame.leaf_errors <= branch_errors + kSlack &&
        frame.leaf_errors <= frame.tree_errors + kSlack) {
      node.leaf = true;
      node.children.clear();
      node.errors = frame.leaf_errors;
      return true;
    }
    if (branch_errors <= frame.tree_errors + kSlack) {
      const PrunedNode taken = nodes_[branch];
      node.origin = taken.origin;
      node.leaf = taken.leaf;
      node.label = taken.label;
      node.children = taken.children;
      restart(frame);
      return false;
    }
    node.errors = frame.tree_errors;
    return true;
  }

  // The estimated errors of rows sent down a subtree as it stands.
  double errors_below(std::int32_t index, const RowSet& rows) const {
    double sum = 0;
    std::vector<std::pair<std::int32_t, RowSet>> pending;
    pending.emplace_back(index, rows);
    while (!pending.empty()) {
      watch_.poll();
      auto [at, here] = std::move(pending.back());
      pending.pop_back();
      const PrunedNode& node = nodes_[at];
      if (node.leaf) {
        const std::vector<Count> counts = counts_of(here);
        sum += estimate(counts, best_class(counts, node.label));
        continue;
      }
      std::vector<RowSet> branches = parts_of(node, std::move(here)).branches;
      for (std::size_t b = branches.size(); b-- > 0;)
        if (!branches[b].empty()) pending.emplace_back(node.children[b], std::move(branches[b]));
    }
    return sum;
  }

  std::int32_t branch_of_row(const PrunedNode& node, std::uint32_t row) const {
    return branch_of(tree_, columns_, tree_.attribute[node.origin], tree_.threshold[node.origin],
                     node.origin, row, false);
  }

  // The rows of each branch; rows with a missing value follow the node, or are divided.
  Parts parts_of(const PrunedNode& node, RowSet rows) const {
    Parts parts;
    parts.branches.resize(node.children.size());
    std::vector<Count> known(node.children.size(), 0);
    for (const WeightedRow& row : rows) {
      const std::int32_t branch = branch_of_row(node, row.row);
      if (branch < 0) {
        parts.divided.push_back(row);
      } else {
        parts.branches[branch].push_back(row);
        known[branch] += row.weight;
      }
    }
    const Count all = std::accumulate(known.begin(), known.end(), Count(0));
    for (std::size_t b = 0; b < known.size(); ++b) {
      if (known[b] == 0) continue;
      if (parts.largest < 0 || known[b] >= known[parts.largest])
        parts.largest = static_cast<int>(b);
      const double share = static_cast<double>(known[b]) / static_cast<double>(all);
      for (const WeightedRow& row : parts.divided) {
        const auto weight = std::llrint(static_cast<double>(row.weight) * share);
        parts.branches[b].push_back({row.row, weight});
      }
    }
    return parts;
  }

  // The rows that parts_of took apart, in any order.
  RowSet united(const PrunedNode& node, Parts parts) const {
    const bool any_divided = !parts.divided.empty();
    RowSet rows = std::move(parts.divided);
    for (RowSet& branch : parts.branches) {
      if (!any_divided && rows.size() < branch.size()) rows.swap(branch);
      for (const WeightedRow& row : branch)
        if (!any_divided || branch_of_row(node, row.row) >= 0) rows.push_back(row);
    }
    return rows;
  }

  std::vector<Count> counts_of(const RowSet& rows) const {
    std::vector<Count> counts(tree_.n_classes, 0);
    for (const WeightedRow& row : rows) counts[classes_[row.row]] += row.weight;
    return counts;
  }
  // Only a strictly heavier class takes the place of the present one.
  static std::int32_t best_class(const std::vector<Count>& counts, std::int32_t present) {
    std::int32_t best = present;
    for (std::size_t c = 0; c < counts.size(); ++c)
      if (counts[c] > counts[best]) best = static_cast<std::int32_t>(c);
    return best;
  }
  double estimate(const std::vector<Count>& counts, std::int32_t label) const {
    const Count total = std::accumulate(counts.begin(), counts.end(), Count(0));
    const double cases = static_cast<double>(total) * unit_;
    const double errors = static_cast<double>(total - counts[label]) * unit_;
    return errors + additional_errors(cases, errors, confidence_);
  }

  const TreeView& tree_;
  std::span<const ColumnView> columns_;
  std::span<const std::int32_t> classes_;
  const double confidence_, unit_;
  Watch& watch_;
  std::vector<PrunedNode> nodes_;
};

}  // namespace

PrunedTree prune_error_based(const TreeView& tree, std::span<const ColumnView> columns,
                             std::span<const std::int32_t> classes, std::span<const double> weights,
                             double confidence, Criterion criterion,
                             std::function<bool()> interrupted) {
  const WeightUnits units(weights, classes.size());
  RowSet rows;
  for (std::uint32_t row = 0; row < classes.size(); ++row) {
    const Count weight = units.of(weights.empty() ? 1.0 : weights[row]);
    if (weight > 0) rows.push_back({row, weight});
  }
  Watch watch(std::move(interrupted));
  ErrorBasedPruner pruner(tree, columns, classes, confidence, units.unit(), watch);
  pruner.prune(std::move(rows));
  Params params;
  params.criterion = criterion;
  const XLogX x_log_x;
  return pruner.result({&params, tree.n_classes, units.unit(), &x_log_x});
}

}  // namespace plaintree
