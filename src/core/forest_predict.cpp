// Asking all trees of a forest: for new rows, and for the rows out of each tree's bag.
#include <algorithm>
#include <memory>
#include <numeric>

#include "forest.h"
#include "random.h"
#include "team.h"
#include "walker.h"

namespace plaintree {
namespace {

using PackedWalker = Walker<PackedTree>;

PackedWalker walker_of(const PackedTree& tree, std::span<const ColumnView> columns,
                       const PredictOptions& options) {
  return {tree, tree.steps.data(), tree.thresholds_only(), columns, options.unseen_stops};
}

// Adds what a tree gives to one row whose path ended at `end` (see Walker::walk).
class Ballot {
 public:
  Ballot(const PackedTree& tree, const PackedWalker& walker, Voting voting)
      : tree_(tree), walker_(walker), voting_(voting), shares_(tree.n_classes) {}

  void add(std::size_t row, std::int32_t end, double* votes) {
    if (voting_ == Voting::Majority) {
      votes[answer(row, end)] += 1.0;
    } else if (end >= 0) {
      tree_.add_shares(end, 1.0, votes);
    } else {
      walker_.walk_divided(row, pending_, [&](std::int32_t node, double share) {
        tree_.add_shares(node, share, votes);
      });
    }
  }
  std::int32_t answer(std::size_t row, std::int32_t end) {
    return end >= 0 ? tree_.answer_of(end) : answer_of_divided(row);
  }
  // The answer when one column's value is another row's.
  std::int32_t answer_with(std::size_t row, std::int32_t column, std::size_t other) {
    const std::int32_t end = walker_.walk_with(row, column, other);
    if (end >= 0) return tree_.answer_of(end);
    std::fill(shares_.begin(), shares_.end(), 0.0);
    walker_.walk_divided_with(
        row, column, other, pending_,
        [&](std::int32_t node, double share) { tree_.add_shares(node, share, shares_.data()); });
    return greatest_share(shares_);
  }

 private:
  std::int32_t answer_of_divided(std::size_t row) {
    std::fill(shares_.begin(), shares_.end(), 0.0);
    walker_.walk_divided(row, pending_, [&](std::int32_t node, double share) {
      tree_.add_shares(node, share, shares_.data());
    });
    return greatest_share(shares_);
  }

  const PackedTree& tree_;
  const PackedWalker& walker_;
  Voting voting_;
  std::vector<double> shares_;
  Pending pending_;
};

// The rows that are not in a tree's sample.
std::vector<std::uint32_t> rows_out_of_bag(std::span<const std::uint32_t> rows,
                                           const Sampling& sampling, std::uint32_t tree) {
  const auto times = sampling.times(tree, static_cast<std::uint32_t>(rows.size()));
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (times[i] == 0) out.push_back(rows[i]);
  return out;
}

// Counts how many rows are voted into the wrong class, as votes come in.
class ErrorCount {
 public:
  ErrorCount(const Examples& examples, OutOfBag& result)
      : classes_(examples.classes), n_classes_(examples.n_classes), result_(result) {}

  void before(std::uint32_t row) {
    n_rows_ += result_.n_trees[row] == 0;
    n_wrong_ -= result_.n_trees[row] > 0 && wrong(row);
  }
  void after(std::uint32_t row) { n_wrong_ += wrong(row); }
  double share() const {
    return n_rows_ ? static_cast<double>(n_wrong_) / static_cast<double>(n_rows_)
                   : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  bool wrong(std::uint32_t row) const {
    const double* votes = result_.votes.data() + static_cast<std::size_t>(row) * n_classes_;
    return std::max_element(votes, votes + n_classes_) - votes != classes_[row];
  }

  std::span<const std::int32_t> classes_;
  int n_classes_;
  OutOfBag& result_;
  std::int64_t n_rows_ = 0, n_wrong_ = 0;
};

}  // namespace

void forest_shares(std::span<const PackedTree> trees, std::span<const ColumnView> columns, std::size_t n_rows, Voting voting,
                   const PredictOptions& options, double* shares) {
  const auto n_classes = static_cast<std::size_t>(trees[0].n_classes);
  // Rows of a block stay in the cache while tree after tree walks them.
  constexpr std::size_t kBlock = 2016;
  const int n_blocks = static_cast<int>((n_rows + kBlock - 1) / kBlock);
  Watch watch(options.interrupted);
  Team team(n_blocks > 1 ? options.n_threads : 1, watch);
  team.run(n_blocks, [&](int block, int thread) {
    const std::size_t first = static_cast<std::size_t>(block) * kBlock;
    const std::size_t n = std::min(kBlock, n_rows - first);
    double* own = shares + first * n_classes;
    std::fill_n(own, n * n_classes, 0.0);
    std::int32_t ends[kBlock];
    for (std::size_t t = 0; t < trees.size(); ++t) {
      if (thread == 0 && n > 1) watch.poll();
      watch.check();
      const PackedWalker walker = walker_of(trees[t], columns, options);
      Ballot ballot(trees[t], walker, voting);
      walker.walk_block(first, n, ends);
      for (std::size_t i = 0; i < n; ++i) ballot.add(first + i, ends[i], own + i * n_classes);
    }
    for (std::size_t i = 0; i < n * n_classes; ++i) own[i] /= static_cast<double>(trees.size());
  });
}

OutOfBag out_of_bag(std::span<const PackedTree> trees, const Examples& examples,
                    std::span<const std::uint32_t> rows, const Sampling& sampling, Voting voting,
                    const PredictOptions& options) {
  const auto n_classes = static_cast<std::size_t>(examples.n_classes);
  const std::size_t n_rows = examples.classes.size();
  OutOfBag result;
  result.votes.assign(n_rows * n_classes, 0.0);
  result.n_trees.assign(n_rows, 0);
  ErrorCount errors(examples, result);
  Watch watch(options.interrupted);
  Team team(options.n_threads, watch);
  // A batch of trees votes at once; their votes are counted in the order of the trees.
  const std::size_t batch = 4 * static_cast<std::size_t>(team.size());
  std::vector<std::vector<std::uint32_t>> outside(batch);
  std::vector<std::vector<double>> votes(batch);
  for (std::size_t begin = 0; begin < trees.size(); begin += batch) {
    const std::size_t n = std::min(batch, trees.size() - begin);
    team.run(static_cast<int>(n), [&](int i, int) {
      const PackedTree& tree = trees[begin + i];
      outside[i] = rows_out_of_bag(rows, sampling, static_cast<std::uint32_t>(begin + i));
      votes[i].assign(outside[i].size() * n_classes, 0.0);
      const PackedWalker walker = walker_of(tree, examples.columns, options);
      Ballot ballot(tree, walker, voting);
      for (std::size_t r = 0; r < outside[i].size(); ++r)
        ballot.add(outside[i][r], walker.walk(outside[i][r]), &votes[i][r * n_classes]);
    });
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < outside[i].size(); ++r) {
        const std::uint32_t row = outside[i][r];
        errors.before(row);
        for (std::size_t c = 0; c < n_classes; ++c)
          result.votes[row * n_classes + c] += votes[i][r * n_classes + c];
        ++result.n_trees[row];
        errors.after(row);
      }
      result.errors.push_back(errors.share());
    }
  }
  return result;
}

std::vector<double> permutation_losses(std::span<const PackedTree> trees, const Examples& examples,
                                       std::span<const std::uint32_t> rows,
                                       const Sampling& sampling, const PredictOptions& options) {
  const std::size_t n_columns = examples.columns.size();
  std::vector<double> losses(trees.size() * n_columns, 0.0);
  Watch watch(options.interrupted);
  Team team(options.n_threads, watch);
  team.run(static_cast<int>(trees.size()), [&](int t, int thread) {
    const PackedTree& tree = trees[t];
    const auto outside = rows_out_of_bag(rows, sampling, static_cast<std::uint32_t>(t));
    const auto n = static_cast<std::uint32_t>(outside.size());
    if (n == 0) return;
    const PackedWalker walker = walker_of(tree, examples.columns, options);
    Ballot ballot(tree, walker, Voting::Majority);
    std::int64_t right = 0;
    for (const std::uint32_t row : outside)
      right += ballot.answer(row, walker.walk(row)) == examples.classes[row];
    std::vector<bool> tested(n_columns, false);
    for (const Step& step : tree.steps)
      if (step.attribute >= 0) tested[step.attribute] = true;
    Shuffle shuffle(n);
    for (std::size_t column = 0; column < n_columns; ++column) {
      if (!tested[column]) continue;
      if (thread == 0) watch.poll();
      watch.check();
      shuffle.start(mix(mix(mix(sampling.seed, 3), static_cast<std::uint64_t>(t)), column));
      std::int64_t still_right = 0;
      for (const std::uint32_t row : outside)
        still_right += ballot.answer_with(row, static_cast<std::int32_t>(column),
                                          outside[shuffle.next()]) == examples.classes[row];
      losses[t * n_columns + column] = static_cast<double>(right - still_right) / n;
    }
  });
  return losses;
}

}  // namespace plaintree
