// Asking all trees of a forest for new rows.
#include <algorithm>

#include "base/team.h"
#include "forest/ballot.h"
#include "forest/forest.h"
#include "predict/quick_walk.h"

namespace plaintree {
namespace {

// A block of rows goes through tree after tree. It is large, so that a tree that was fetched from
// memory serves many rows, but leaves every thread its part.
std::size_t rows_of_block(std::size_t n_rows, int n_threads) {
  const auto threads = static_cast<std::size_t>(std::max(n_threads, 1));
  return std::clamp(n_rows / (4 * threads), kFewRows, 16 * kFewRows);
}

// The trees as QuickTree has them; none if a tree does not fit, or rows are too few to be worth it.
template <class Float>
std::vector<QuickTree<Float>> quick_trees(std::span<const PackedTree> trees, std::size_t n_columns,
                                          std::size_t n_rows, Team& team) {
  const auto fits = [&](const PackedTree& tree) { return QuickTree<Float>::fits(tree, n_columns); };
  if (n_rows < kFewRows || !std::all_of(trees.begin(), trees.end(), fits)) return {};
  std::vector<QuickTree<Float>> quick(trees.size());
  const CategoryKeys<SortKey<Float>> categories{codes_in_sets_of(trees)};
  team.run(static_cast<int>(trees.size()),
           [&](int i, int) { quick[i] = QuickTree<Float>(trees[i], categories); });
  return quick;
}

// A block of rows goes through tree after tree; `shares` are the block's own.
template <class Float>
class BlockOfRows {
 public:
  BlockOfRows(std::span<const PackedTree> trees, std::span<const QuickTree<Float>> quick,
              std::span<const ColumnView> columns, const PredictOptions& options)
      : trees_(trees), quick_(quick), columns_(columns), options_(options) {
    if (!quick_.empty()) rows_ = RowBlock<Float>({codes_in_sets_of(trees)});
  }

  template <class BeforeTree>
  void ask(std::size_t first, std::size_t n, Voting voting, double* shares,
           BeforeTree before_tree) {
    const auto n_outputs = trees_[0].n_outputs();
    ends_.resize(n);
    if (!quick_.empty()) rows_.fill(columns_, first, n);
    const bool quickly = !quick_.empty() && !rows_.has_missing();
    if (quickly && voting == Voting::Majority && !trees_[0].has_targets()) {
      count_answers(n, n_outputs, shares, before_tree);
    } else {
      std::fill_n(shares, n * n_outputs, 0.0);
      for (std::size_t t = 0; t < trees_.size(); ++t) {
        before_tree();
        const PackedWalker walker = walker_of(trees_[t], columns_, options_);
        if (quickly)
          quick_[t].walk(rows_, ends_.data());
        else
          walker.walk_block(RootStarts{first, n}, ends_.data());
        Ballot ballot(trees_[t], walker, voting);
        for (std::size_t i = 0; i < n; ++i) ballot.add(first + i, ends_[i], shares + i * n_outputs);
      }
    }
    for (std::size_t i = 0; i < n * n_outputs; ++i) shares[i] /= static_cast<double>(trees_.size());
  }

 private:
  // Whole votes in half the bytes of shares.
  template <class BeforeTree>
  void count_answers(std::size_t n, std::size_t n_outputs, double* shares, BeforeTree before_tree) {
    votes_.assign(n * n_outputs, 0);
    for (const QuickTree<Float>& tree : quick_) {
      before_tree();
      tree.walk(rows_, ends_.data());
      for (std::size_t i = 0; i < n; ++i) ++votes_[i * n_outputs + tree.answer_of(ends_[i])];
    }
    std::copy(votes_.begin(), votes_.end(), shares);
  }

  std::span<const PackedTree> trees_;
  std::span<const QuickTree<Float>> quick_;
  std::span<const ColumnView> columns_;
  const PredictOptions& options_;
  RowBlock<Float> rows_;
  std::vector<std::int32_t> ends_;
  std::vector<std::uint32_t> votes_;
};

template <class Float>
void forest_shares_of(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                      std::size_t n_rows, Voting voting, const PredictOptions& options,
                      double* shares) {
  const auto n_outputs = trees[0].n_outputs();
  const std::size_t most = rows_of_block(n_rows, options.n_threads);
  const int n_blocks = static_cast<int>((n_rows + most - 1) / most);
  Watch watch(options.interrupted);
  Team team(n_blocks > 1 ? options.n_threads : 1, watch);
  const auto quick = quick_trees<Float>(trees, columns.size(), n_rows, team);
  team.run(n_blocks, [&](int block, int thread) {
    const std::size_t first = static_cast<std::size_t>(block) * most;
    const std::size_t n = std::min(most, n_rows - first);
    BlockOfRows<Float>(trees, quick, columns, options)
        .ask(first, n, voting, shares + first * n_outputs, [&] {
          if (thread == 0 && n > 1) watch.poll();
          watch.check();
        });
  });
}

}  // namespace

void forest_shares(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                   std::size_t n_rows, Voting voting, const PredictOptions& options,
                   double* shares) {
  with_key_width(trees, columns, [&]<class Float>(Float) {
    forest_shares_of<Float>(trees, columns, n_rows, voting, options, shares);
  });
}

}  // namespace plaintree
