#include "tree/plain_trees.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace plaintree {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

// The part of every column that belongs to one tree.
struct Part {
  std::size_t node = 0, inner = 0, leaf = 0;
};

class PlainPacker {
 public:
  PlainPacker(const PlainTrees& columns, bool any_node_answers)
      : c_(columns),
        k_(static_cast<std::size_t>(columns.n_classes)),
        any_node_answers_(any_node_answers),
        n_leaves_(columns.leaf_rows.size()) {}

  PackedTree next(std::size_t n) {
    PackedTree tree;
    tree.n_classes = c_.n_classes;
    tree.criterion = Criterion::Gini;
    const std::size_t n_inner = make_steps(n, tree);
    sum_counts(n, tree);
    make_scores(n_inner, tree);
    const auto* missing = c_.missing_child.data() + at_.inner;
    const bool divides =
        std::any_of(missing, missing + n_inner, [](std::int8_t m) { return m < 0; });
    tree.missing_child = NarrowInts(std::vector<std::int32_t>(missing, missing + n_inner));
    const auto* tied = c_.n_tied.data() + at_.inner;
    tree.n_tied = NarrowInts(std::vector<std::int32_t>(tied, tied + n_inner));
    keep_counts(n, divides || any_node_answers_, tree);
    at_.node += n, at_.inner += n_inner, at_.leaf += n - n_inner;
    return tree;
  }

 private:
  // Conditions and children; the number of inner nodes.
  std::size_t make_steps(std::size_t n, PackedTree& tree) {
    tree.steps.resize(n);
    const auto* is_inner = c_.is_inner.data() + at_.node;
    std::size_t inner = 0, leaf = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_inner[i]) {
        tree.steps[i] = {0.0, -1, static_cast<std::int32_t>(leaf++)};
        continue;
      }
      const std::size_t first = 1 + 2 * inner, from = at_.inner + inner;
      require(first > i && first + 1 < n && from < c_.attribute.size(), "no such children");
      require(c_.attribute[from] >= 0, "no such attribute");
      tree.steps[i] = {c_.threshold[from], c_.attribute[from], static_cast<std::int32_t>(first)};
      ++inner;
    }
    require(2 * inner + 1 == n && at_.leaf + leaf <= n_leaves_, "nodes without a parent");
    return inner;
  }

  // Rows and class counts of all nodes, the sums of their children's.
  void sum_counts(std::size_t n, PackedTree& tree) {
    counts_.resize(n * k_);
    tree.n_rows.resize(n);
    for (std::size_t i = n; i-- > 0;) {
      const Step& step = tree.steps[i];
      const auto child = static_cast<std::size_t>(step.first_child);
      std::int64_t rows, total = 0;
      for (std::size_t c = 0; c < k_; ++c) {
        std::int64_t count;
        if (step.attribute < 0)
          count = c_.leaf_counts[c * n_leaves_ + at_.leaf + child];
        else
          count = std::int64_t{counts_[child * k_ + c]} + counts_[(child + 1) * k_ + c];
        require(count >= 0, "a negative count");
        total += count;
        counts_[i * k_ + c] = static_cast<std::int32_t>(count);
      }
      if (step.attribute < 0)
        rows = c_.leaf_rows[at_.leaf + child];
      else
        rows = std::int64_t{tree.n_rows[child]} + tree.n_rows[child + 1];
      require(total > 0 && total <= kMost && rows <= kMost, "no rows, or too many");
      tree.n_rows[i] = static_cast<std::uint32_t>(rows);
    }
  }

  double weight(std::size_t node) const {
    double sum = 0;
    for (std::size_t c = 0; c < k_; ++c) sum += counts_[node * k_ + c];
    return sum;
  }
  double information(std::size_t node) const {
    double squares = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      const double w = counts_[node * k_ + c];
      squares += w * w;
    }
    const double n = weight(node);
    return n - squares / n;
  }

  void make_scores(std::size_t n_inner, PackedTree& tree) {
    tree.score.reserve(n_inner);
    for (std::size_t i = 0; i < tree.steps.size(); ++i) {
      Step& step = tree.steps[i];
      if (step.attribute < 0) {
        const auto* own = counts_.data() + i * k_;
        step.threshold = static_cast<double>(std::max_element(own, own + k_) - own);
        continue;
      }
      const auto child = static_cast<std::size_t>(step.first_child);
      const double n = weight(i);
      const double open = (information(child) + information(child + 1)) / n;
      tree.score.push_back(information(i) / n - open);
    }
  }

  void keep_counts(std::size_t n, bool of_all_nodes, PackedTree& tree) {
    if (of_all_nodes) {
      tree.node_counts.assign(counts_.begin(),
                              counts_.begin() + static_cast<std::ptrdiff_t>(n * k_));
      return;
    }
    std::vector<std::int32_t> leaf_counts;
    leaf_counts.reserve((n + 1) / 2 * k_);
    for (std::size_t i = 0; i < n; ++i)
      if (tree.steps[i].attribute < 0)
        for (std::size_t c = 0; c < k_; ++c) leaf_counts.push_back(counts_[i * k_ + c]);
    tree.leaf_counts = NarrowInts(leaf_counts);
  }

  const PlainTrees& c_;
  const std::size_t k_;
  const bool any_node_answers_;
  const std::size_t n_leaves_;
  Part at_;
  std::vector<std::int32_t> counts_;
};

}  // namespace

void pack_plain_trees(const PlainTrees& columns, bool any_node_answers,
                      std::vector<PackedTree>& trees) {
  std::size_t n_nodes = 0;
  for (const std::uint32_t n : columns.n_nodes) {
    require(n > 0, "a tree without nodes");
    n_nodes += n;
  }
  const std::size_t n_inner = columns.attribute.size(), n_leaves = columns.leaf_rows.size();
  require(columns.n_classes > 0 && columns.is_inner.size() == n_nodes &&
              n_inner + n_leaves == n_nodes && columns.threshold.size() == n_inner &&
              columns.missing_child.size() == n_inner && columns.n_tied.size() == n_inner &&
              columns.leaf_counts.size() == n_leaves * static_cast<std::size_t>(columns.n_classes),
          "columns of different lengths");
  PlainPacker packer(columns, any_node_answers);
  for (const std::uint32_t n : columns.n_nodes) trees.push_back(packer.next(n));
}

}  // namespace plaintree
