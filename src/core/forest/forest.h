// Many trees: growing them on samples of the rows, and asking them all.
//
// Tree i of a forest depends on the table, the parameters, the seed and i, and on nothing else: not
// on the number of threads or of trees.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/params.h"
#include "predict/predict.h"
#include "table/training_table.h"
#include "tree/packed_tree.h"

namespace plaintree {

// How the rows of each tree are drawn, from those with a weight.
struct Sampling {
  enum class How : int { AllRows, WithReplacement, WithoutReplacement };
  How how = How::WithReplacement;
  std::uint32_t n_draws = 0;
  std::uint64_t seed = 0;

  // How often each of n rows is in the sample of a tree, into `times`.
  void draw(std::uint32_t tree, std::uint32_t n, std::vector<std::uint32_t>& times) const;
};

struct ForestOptions {
  std::uint32_t first_tree = 0;  // the number of the first one, which seeds it
  std::uint32_t n_trees = 1;     // at least one
  Sampling sampling;
  bool any_node_answers = false;  // see PackedTree
  std::size_t most_bytes = 0;     // refuse forests that would need more; 0: never
  int n_threads = 1;
  // Asked now and then, from the calling thread, with the number of trees that are done.
  std::function<bool(std::uint32_t)> interrupted;
};

// Growing would take more memory than there is.
struct TooLarge : std::runtime_error {
  explicit TooLarge(double bytes) : std::runtime_error("too large"), n_bytes(bytes) {}
  double n_bytes;
};

std::vector<PackedTree> grow_forest(const Examples& examples, const Params& params,
                                    const ForestOptions& options);

// What a row gets from each tree: one vote for its class, or its class shares.
enum class Voting : int { Majority, Probability };

// The mean of what the trees give to each row (rows x classes).
void forest_shares(std::span<const PackedTree> trees, std::span<const ColumnView> columns,
                   std::size_t n_rows, Voting voting, const PredictOptions& options,
                   double* shares);

// What each tree gives to the rows that were not in its sample.
struct OutOfBag {
  std::vector<double> votes;          // rows x classes, summed over trees
  std::vector<std::int32_t> n_trees;  // that voted for each row
  std::vector<double> errors;  // share of wrong rows after each tree, of rows voted for so far
};
// `rows`: the rows that samples are drawn from.
OutOfBag out_of_bag(std::span<const PackedTree> trees, const Examples& examples,
                    std::span<const std::uint32_t> rows, const Sampling& sampling, Voting voting,
                    const PredictOptions& options);

// Per tree and column (trees x columns): by how much the accuracy on the rows out of
// the tree's bag falls when the column's values are shuffled among them.
std::vector<double> permutation_losses(std::span<const PackedTree> trees, const Examples& examples,
                                       std::span<const std::uint32_t> rows,
                                       const Sampling& sampling, const PredictOptions& options);

}  // namespace plaintree
