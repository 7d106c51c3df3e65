// Asking all trees of a forest: for new rows, and for the rows out of each tree's bag.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/random.h"
#include "base/team.h"
#include "forest/forest.h"
#include "predict/quick_walk.h"
#include "predict/walker.h"

namespace plaintree {
namespace {

using PackedWalker = Walker<PackedTree>;

constexpr std::size_t kFewRows = 1024;

// A block of rows goes through tree after tree. It is large, so that a tree that was fetched from
// memory serves many rows, but leaves every thread its part.
std::size_t rows_of_block(std::size_t n_rows, int n_threads) {
  const auto threads = static_cast<std::size_t>(std::max(n_threads, 1));
  return std::clamp(n_rows / (4 * threads), kFewRows, 16 * kFewRows);
}

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

// The rows that are not in a tree's sample, copied one after the other so that they can be walked
// side by side.
class RowsOutside {
 public:
  RowsOutside(std::span<const ColumnView> columns, std::span<const std::uint32_t> rows,
              const Sampling& sampling, std::uint32_t tree)
      : views_(columns.begin(), columns.end()), values_(columns.size()) {
    std::vector<std::uint32_t> times;
    sampling.draw(tree, static_cast<std::uint32_t>(rows.size()), times);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (times[i] == 0) rows_.push_back(rows[i]);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::size_t width = columns[j].type == ColumnView::Type::Float64 ? 8 : 4;
      values_[j].resize(width * rows_.size());
      views_[j].stride = static_cast<std::ptrdiff_t>(width);
      restore(j, columns[j]);
    }
  }

  const std::vector<std::uint32_t>& rows() const { return rows_; }
  std::span<const ColumnView> columns() const { return views_; }
  void restore(std::size_t j, const ColumnView& column) {
    fill(j, column, [&](std::size_t i) { return rows_[i]; });
  }
  void shuffle(std::size_t j, const ColumnView& column, Shuffle& order) {
    fill(j, column, [&](std::size_t) { return rows_[order.next()]; });
  }

 private:
  template <class RowOf>
  void fill(std::size_t j, const ColumnView& column, RowOf row_of) {
    const auto width = static_cast<std::size_t>(views_[j].stride);
    std::byte* to = values_[j].data();
    views_[j].data = to;
    for (std::size_t i = 0; i < rows_.size(); ++i, to += width)
      std::memcpy(to, column.data + static_cast<std::ptrdiff_t>(row_of(i)) * column.stride, width);
  }

  std::vector<std::uint32_t> rows_;
  std::vector<ColumnView> views_;
  std::vector<std::vector<std::byte>> values_;
};

// Where the rows out of a tree's bag end, by the quick walk if the tree and the rows allow it.
template <class Float>
class OutsideWalk {
 public:
  OutsideWalk(const PackedTree& tree, const RowsOutside& outside, const PackedWalker& walker)
      : outside_(outside), walker_(walker), ends_(outside.rows().size()) {
    if (ends_.size() < kFewRows || !QuickTree<Float>::fits(tree, outside.columns().size())) return;
    const CategoryKeys<SortKey<Float>> categories{codes_in_sets(tree).value_or(0)};
    quick_.emplace(tree, categories);
    rows_ = RowBlock<Float>(categories);
    rows_.fill(outside.columns(), 0, ends_.size());
  }

  // To be called when the values of a column have changed.
  void update(std::size_t column) {
    if (quick_) rows_.fill_column(column, outside_.columns()[column], 0);
  }
  const std::vector<std::int32_t>& ends() {
    if (quick_ && !rows_.has_missing())
      quick_->walk(rows_, ends_.data());
    else
      walker_.walk_block(0, ends_.size(), ends_.data());
    return ends_;
  }

 private:
  const RowsOutside& outside_;
  const PackedWalker& walker_;
  std::optional<QuickTree<Float>> quick_;
  RowBlock<Float> rows_;
  std::vector<std::int32_t> ends_;
};

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
    const auto n_classes = static_cast<std::size_t>(trees_[0].n_classes);
    ends_.resize(n);
    if (!quick_.empty()) rows_.fill(columns_, first, n);
    const bool quickly = !quick_.empty() && !rows_.has_missing();
    if (quickly && voting == Voting::Majority) {
      count_answers(n, n_classes, shares, before_tree);
    } else {
      std::fill_n(shares, n * n_classes, 0.0);
      for (std::size_t t = 0; t < trees_.size(); ++t) {
        before_tree();
        const PackedWalker walker = walker_of(trees_[t], columns_, options_);
        if (quickly)
          quick_[t].walk(rows_, ends_.data());
        else
          walker.walk_block(first, n, ends_.data());
        Ballot ballot(trees_[t], walker, voting);
        for (std::size_t i = 0; i < n; ++i) ballot.add(first + i, ends_[i], shares + i * n_classes);
      }
    }
    for (std::size_t i = 0; i < n * n_classes; ++i) shares[i] /= static_cast<double>(trees_.size());
  }

 private:
  // Whole votes in half the bytes of shares.
  template <class BeforeTree>
  void count_answers(std::size_t n, std::size_t n_classes, double* shares, BeforeTree before_tree) {
    votes_.assign(n * n_classes, 0);
    for (const QuickTree<Float>& tree : quick_) {
      before_tree();
      tree.walk(rows_, ends_.data());
      for (std::size_t i = 0; i < n; ++i) ++votes_[i * n_classes + tree.answer_of(ends_[i])];
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
  const auto n_classes = static_cast<std::size_t>(trees[0].n_classes);
  const std::size_t most = rows_of_block(n_rows, options.n_threads);
  const int n_blocks = static_cast<int>((n_rows + most - 1) / most);
  Watch watch(options.interrupted);
  Team team(n_blocks > 1 ? options.n_threads : 1, watch);
  const auto quick = quick_trees<Float>(trees, columns.size(), n_rows, team);
  team.run(n_blocks, [&](int block, int thread) {
    const std::size_t first = static_cast<std::size_t>(block) * most;
    const std::size_t n = std::min(most, n_rows - first);
    BlockOfRows<Float>(trees, quick, columns, options)
        .ask(first, n, voting, shares + first * n_classes, [&] {
          if (thread == 0 && n > 1) watch.poll();
          watch.check();
        });
  });
}

// Calls run(Float()) with the narrower of the two quick walks that serves these trees and columns.
template <class Run>
auto with_key_width(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                    Run run) {
  const bool doubles = std::any_of(columns.begin(), columns.end(), [](const ColumnView& column) {
    return column.type == ColumnView::Type::Float64;
  });
  const CategoryKeys<SortKey<float>> narrow{codes_in_sets_of(trees)};
  const CategoryKeys<SortKey<double>> wide{narrow.n_codes};
  const bool wide_masks = !narrow.fit_masks() && wide.fit_masks();
  if (doubles || wide_masks || columns.size() > QuickStep<float>::kMostColumns)
    return run(double());
  return run(float());
}

template <class Float>
OutOfBag out_of_bag_of(std::span<const PackedTree> trees, const Examples& examples,
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
      const RowsOutside gathered(examples.columns, rows, sampling,
                                 static_cast<std::uint32_t>(begin + i));
      outside[i] = gathered.rows();
      votes[i].assign(outside[i].size() * n_classes, 0.0);
      const PackedWalker walker = walker_of(tree, gathered.columns(), options);
      OutsideWalk<Float> walk(tree, gathered, walker);
      const std::vector<std::int32_t>& ends = walk.ends();
      Ballot ballot(tree, walker, voting);
      for (std::size_t r = 0; r < ends.size(); ++r)
        ballot.add(r, ends[r], &votes[i][r * n_classes]);
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

template <class Float>
std::vector<double> permutation_losses_of(std::span<const PackedTree> trees,
                                          const Examples& examples,
                                          std::span<const std::uint32_t> rows,
                                          const Sampling& sampling, const PredictOptions& options) {
  const std::size_t n_columns = examples.columns.size();
  std::vector<double> losses(trees.size() * n_columns, 0.0);
  Watch watch(options.interrupted);
  Team team(options.n_threads, watch);
  team.run(static_cast<int>(trees.size()), [&](int t, int thread) {
    const PackedTree& tree = trees[t];
    RowsOutside outside(examples.columns, rows, sampling, static_cast<std::uint32_t>(t));
    const auto n = static_cast<std::uint32_t>(outside.rows().size());
    if (n == 0) return;
    const PackedWalker walker = walker_of(tree, outside.columns(), options);
    OutsideWalk<Float> walk(tree, outside, walker);
    Ballot ballot(tree, walker, Voting::Majority);
    const auto count_right = [&] {
      const std::vector<std::int32_t>& ends = walk.ends();
      std::int64_t right = 0;
      for (std::uint32_t i = 0; i < n; ++i)
        right += ballot.answer(i, ends[i]) == examples.classes[outside.rows()[i]];
      return right;
    };
    const std::int64_t right = count_right();
    std::vector<bool> tested(n_columns, false);
    for (const Step& step : tree.steps)
      if (step.attribute >= 0) tested[step.attribute] = true;
    Shuffle order(n);
    for (std::size_t column = 0; column < n_columns; ++column) {
      if (!tested[column]) continue;
      if (thread == 0) watch.poll();
      watch.check();
      order.start(mix(mix(mix(sampling.seed, 3), static_cast<std::uint64_t>(t)), column));
      outside.shuffle(column, examples.columns[column], order);
      walk.update(column);
      losses[t * n_columns + column] = static_cast<double>(right - count_right()) / n;
      outside.restore(column, examples.columns[column]);
      walk.update(column);
    }
  });
  return losses;
}

}  // namespace

void forest_shares(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                   std::size_t n_rows, Voting voting, const PredictOptions& options,
                   double* shares) {
  with_key_width(trees, columns, [&]<class Float>(Float) {
    forest_shares_of<Float>(trees, columns, n_rows, voting, options, shares);
  });
}

OutOfBag out_of_bag(std::span<const PackedTree> trees, const Examples& examples,
                    std::span<const std::uint32_t> rows, const Sampling& sampling, Voting voting,
                    const PredictOptions& options) {
  return with_key_width(trees, examples.columns, [&]<class Float>(Float) {
    return out_of_bag_of<Float>(trees, examples, rows, sampling, voting, options);
  });
}

std::vector<double> permutation_losses(std::span<const PackedTree> trees, const Examples& examples,
                                       std::span<const std::uint32_t> rows,
                                       const Sampling& sampling, const PredictOptions& options) {
  return with_key_width(trees, examples.columns, [&]<class Float>(Float) {
    return permutation_losses_of<Float>(trees, examples, rows, sampling, options);
  });
}

}  // namespace plaintree
