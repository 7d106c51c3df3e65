// The rows out of each tree's bag: their votes, and what columns are worth to them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/random.h"
#include "base/team.h"
#include "forest/ballot.h"
#include "forest/forest.h"
#include "predict/quick_walk.h"

namespace plaintree {
namespace {

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
      copy(columns[j], values_[j], [&](std::size_t i) { return rows_[i]; });
      views_[j].stride = static_cast<std::ptrdiff_t>(width_of(columns[j]));
      restore(j);
    }
  }

  const std::vector<std::uint32_t>& rows() const { return rows_; }
  std::span<const ColumnView> columns() const { return views_; }
  // One column at a time.
  void shuffle(std::size_t j, Shuffle& order) {
    copy(views_[j], shuffled_, [&](std::size_t) { return order.next(); });
    views_[j].data = shuffled_.data();
  }
  void restore(std::size_t j) { views_[j].data = values_[j].data(); }

 private:
  static std::size_t width_of(const ColumnView& column) {
    return column.type == ColumnView::Type::Float64 ? 8 : 4;
  }
  template <class RowOf>
  void copy(const ColumnView& column, std::vector<std::byte>& values, RowOf row_of) const {
    values.resize(width_of(column) * rows_.size());
    const auto copy_values = [&]<std::size_t kWidth>(std::integral_constant<std::size_t, kWidth>) {
      std::byte* to = values.data();
      for (std::size_t i = 0; i < rows_.size(); ++i, to += kWidth)
        std::memcpy(to, column.data + static_cast<std::ptrdiff_t>(row_of(i)) * column.stride,
                    kWidth);
    };
    if (width_of(column) == 8)
      copy_values(std::integral_constant<std::size_t, 8>());
    else
      copy_values(std::integral_constant<std::size_t, 4>());
  }

  std::vector<std::uint32_t> rows_;
  std::vector<ColumnView> views_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<std::byte> shuffled_;  // of the column that is shuffled
};

// Where the rows out of a tree's bag end, by the quick walk if the tree and the rows allow it.
template <class Float>
class OutsideWalk {
 public:
  OutsideWalk(const PackedTree& tree, const RowsOutside& outside, const PackedWalker& walker)
      : outside_(outside), walker_(walker) {
    const std::size_t n = outside.rows().size();
    if (n < kFewRows || !QuickTree<Float>::fits(tree, outside.columns().size())) return;
    const CategoryKeys<SortKey<Float>> categories{codes_in_sets(tree).value_or(0)};
    quick_.emplace(tree, categories);
    rows_ = RowBlock<Float>(categories);
    rows_.fill(outside.columns(), 0, n);
  }

  // To be called when the values of a column have changed.
  void update(std::size_t column) {
    if (quick_) rows_.fill_column(column, outside_.columns()[column], 0);
  }
  std::vector<std::int32_t> ends() const {
    std::vector<std::int32_t> ends;
    walk(RootStarts{0, outside_.rows().size()}, ends);
    return ends;
  }
  // The ends of the paths from `starts`, see QuickTree.
  template <class Starts>
  void walk(const Starts& starts, std::vector<std::int32_t>& ends) const {
    ends.resize(starts.size());
    if (quick_ && !rows_.has_missing())
      quick_->walk(rows_, starts, ends.data());
    else
      walker_.walk_block(starts, ends.data());
  }

 private:
  const RowsOutside& outside_;
  const PackedWalker& walker_;
  std::optional<QuickTree<Float>> quick_;
  RowBlock<Float> rows_;
};

// The error of the rows voted for so far, as votes come in: the share of rows in a wrong class, or
// the mean squared error of a numeric target.
class ErrorCount {
 public:
  ErrorCount(const Examples& examples, OutOfBag& result) : examples_(examples), result_(result) {}

  void before(std::uint32_t row) {
    n_rows_ += result_.n_trees[row] == 0;
    if (result_.n_trees[row] > 0) sum_ -= error(row);
  }
  void after(std::uint32_t row) { sum_ += error(row); }
  double mean() const {
    return n_rows_ ? static_cast<double>(sum_) / static_cast<double>(n_rows_)
                   : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double error(std::uint32_t row) const {
    if (!examples_.targets.empty()) {
      const double off = result_.votes[row] / result_.n_trees[row] - examples_.targets[row];
      return off * off;
    }
    const int n = examples_.n_classes;
    const double* votes = result_.votes.data() + static_cast<std::size_t>(row) * n;
    return std::max_element(votes, votes + n) - votes != examples_.classes[row];
  }

  const Examples& examples_;
  OutOfBag& result_;
  std::int64_t n_rows_ = 0;
  long double sum_ = 0;
};

template <class Float>
OutOfBag out_of_bag_of(std::span<const PackedTree> trees, const Examples& examples,
                       std::span<const std::uint32_t> rows, const Sampling& sampling, Voting voting,
                       const PredictOptions& options) {
  const std::size_t n_classes = trees[0].n_outputs();
  const std::size_t n_rows = examples.n_rows();
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
      const std::vector<std::int32_t> ends = OutsideWalk<Float>(tree, gathered, walker).ends();
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
      result.errors.push_back(errors.mean());
    }
  }
  return result;
}

// For every node, the first node on the path to it, itself included, that splits on a column; -1 if
// none does.
void find_first_splits(const PackedTree& tree, std::int32_t column,
                       std::vector<std::int32_t>& first) {
  first.assign(tree.n_nodes(), -1);
  for (std::size_t i = 0; i < first.size(); ++i) {  // parents stand before their children
    const Step& step = tree.steps[i];
    const auto node = static_cast<std::int32_t>(i);
    if (step.attribute < 0) continue;
    if (first[i] < 0 && step.attribute == column) first[i] = node;
    std::fill_n(first.begin() + step.first_child, tree.n_children_of(node), first[i]);
  }
}

// A tree and the rows out of its bag, among which the values of one column at a time are shuffled.
//
// A row that follows a single path goes the same way up to the first split on the column, and all
// the way if there is none: it is walked again from that node only, or not at all.
template <class Float>
class PermutedTree {
 public:
  PermutedTree(const PackedTree& tree, const Examples& examples, RowsOutside& outside,
               const PredictOptions& options)
      : tree_(tree),
        examples_(examples),
        outside_(outside),
        walker_(walker_of(tree, outside.columns(), options)),
        walk_(tree, outside, walker_),
        ballot_(tree, walker_, Voting::Majority),
        ends_(walk_.ends()),
        errors_(ends_.size()),
        order_(static_cast<std::uint32_t>(ends_.size())) {
    for (std::size_t i = 0; i < ends_.size(); ++i) errors_[i] = error(i, ends_[i]);
  }

  // How much the errors of all rows add up to more when the column is shuffled.
  double loss(std::size_t column, std::uint64_t key) {
    order_.start(key);
    outside_.shuffle(column, order_);
    walk_.update(column);
    const double lost = error_gained(static_cast<std::int32_t>(column));
    outside_.restore(column);
    walk_.update(column);
    return lost;
  }

 private:
  double error_gained(std::int32_t column) {
    find_first_splits(tree_, column, first_splits_);
    starts_.resize(ends_.size());
    std::size_t n = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      starts_[n] = {i, ends_[i] >= 0 ? first_splits_[ends_[i]] : 0};
      n += starts_[n].node >= 0;
    }
    starts_.resize(n);
    walk_.walk(starts_, new_ends_);
    double gained = 0;
    for (std::size_t i = 0; i < n; ++i)
      gained += error(starts_[i].row, new_ends_[i]) - errors_[starts_[i].row];
    return gained;
  }
  // One for a wrong class, or the squared error of a numeric target.
  double error(std::size_t i, std::int32_t end) {
    const std::uint32_t row = outside_.rows()[i];
    if (examples_.targets.empty()) return ballot_.answer(i, end) != examples_.classes[row];
    const double off = ballot_.number(i, end) - examples_.targets[row];
    return off * off;
  }

  const PackedTree& tree_;
  const Examples& examples_;
  RowsOutside& outside_;
  PackedWalker walker_;
  OutsideWalk<Float> walk_;
  Ballot ballot_;
  std::vector<std::int32_t> ends_;  // with all columns as they are
  std::vector<double> errors_;      // likewise
  Shuffle order_;
  std::vector<std::int32_t> first_splits_, new_ends_;
  std::vector<Start> starts_;
};

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
    RowsOutside outside(examples.columns, rows, sampling, static_cast<std::uint32_t>(t));
    if (outside.rows().empty()) return;
    const auto n = static_cast<double>(outside.rows().size());
    PermutedTree<Float> permuted(trees[t], examples, outside, options);
    std::vector<bool> tested(n_columns, false);
    for (const Step& step : trees[t].steps)
      if (step.attribute >= 0) tested[step.attribute] = true;
    for (std::size_t column = 0; column < n_columns; ++column) {
      if (!tested[column]) continue;
      if (thread == 0) watch.poll();
      watch.check();
      const std::uint64_t key =
          mix(mix(mix(sampling.seed, 3), static_cast<std::uint64_t>(t)), column);
      losses[t * n_columns + column] = permuted.loss(column, key) / n;
    }
  });
  return losses;
}

}  // namespace

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
