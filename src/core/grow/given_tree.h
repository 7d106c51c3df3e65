// A given tree to grow on from: which of its splits stay, and what is done at its other nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "grow/offers.h"
#include "search/candidate.h"
#include "search/open_node.h"
#include "tree/tree_view.h"

namespace plaintree {

// What is done at a node of the given tree.
enum class Todo : std::uint8_t {
  Stop,   // it is a leaf
  Keep,   // it has the split of the given tree
  Grow,   // it is grown like any node
  Probe,  // the split of every column is reported, and it is a leaf
};

struct GivenTree {
  const TreeView& tree;
  std::span<const std::uint8_t> todo;  // of every node
  Todo otherwise = Todo::Grow;         // of branches that the given tree does not have
  Offers* offers = nullptr;            // of the node that is probed

  Todo of(std::int32_t node) const {
    return static_cast<Todo>(todo[static_cast<std::size_t>(node)]);
  }
  // The node of a branch; -1: there is none.
  std::int32_t child(std::int32_t node, std::uint32_t branch) const {
    const bool there = static_cast<std::int32_t>(branch) < tree.n_children[node];
    return there ? tree.first_child[node] + static_cast<std::int32_t>(branch) : -1;
  }
  Todo of_branch(std::int32_t node, std::uint32_t branch) const {
    const std::int32_t found = child(node, branch);
    return found < 0 ? otherwise : of(found);
  }
};

// A threshold lies within a bin of a column, or rows have a category that has no branch.
struct CannotFollow : std::invalid_argument {
  CannotFollow(const char* what, int of_column) : std::invalid_argument(what), column(of_column) {}
  int column;
};

// How many of the known items of a list are on the low side of a threshold.
inline std::uint32_t items_up_to(const TrainingTable& table, const Column& column,
                                 std::span<const Item> items, double threshold) {
  const auto is_low = [&](const Item& item) {
    if (item.rank == kMissingRank) return false;
    const double value =
        column.least.empty() ? column.view.number(table.row(item.entry)) : column.least[item.rank];
    return value <= threshold;
  };
  return static_cast<std::uint32_t>(std::partition_point(items.begin(), items.end(), is_low) -
                                    items.begin());
}

// The last code on the low side of a threshold; -1 if there is none.
inline std::int32_t last_code_up_to(const Column& column, double threshold, int number) {
  const auto begin = column.greatest().begin();
  const auto after = std::upper_bound(begin, begin + column.n_codes, threshold);
  const auto n_low = static_cast<std::size_t>(after - begin);
  if (n_low < static_cast<std::size_t>(column.n_codes) && column.least[n_low] <= threshold)
    throw CannotFollow("a threshold lies within a bin", number);
  return static_cast<std::int32_t>(n_low) - 1;
}

// The split of a node of the given tree, as one of the column's rows. `items` is the node's list of
// a sorted column.
inline Candidate given_split(const TreeView& tree, std::int32_t node, const TrainingTable& table,
                             std::span<const Item> items) {
  const int number = tree.attribute[node];
  const Column& column = table.columns[static_cast<std::size_t>(number)];
  Candidate split;
  split.valid = true;
  split.kind = tree.kind_of(node);
  const std::span<const std::int32_t> levels = tree.levels_of(node);
  switch (split.kind) {
    case NodeKind::Threshold:
      split.threshold = tree.threshold[node];
      if (column.store == Column::Store::Sorted)
        split.position = items_up_to(table, column, items, split.threshold);
      else
        split.code = last_code_up_to(column, split.threshold, number);
      break;
    case NodeKind::Equals:
      split.code = levels[0];
      break;
    case NodeKind::Subset:
      split.subset.assign(levels.begin(), levels.end());
      break;
    case NodeKind::Grouped:
      split.subset.assign(levels.begin(), levels.end());
      split.n_branches = 1 + std::max(1, *std::max_element(levels.begin(), levels.end()));
      break;
    case NodeKind::Multiway:
    case NodeKind::Leaf:
      break;
  }
  return split;
}

// Whether a split that was found is the given one. Under surrogates the given tree has a branch for
// each category that has rows.
inline bool is_same_split(const Candidate& found, const Candidate& given, const Column& column) {
  if (found.kind == NodeKind::Threshold && given.kind == found.kind)
    return column.store == Column::Store::Sorted ? found.position == given.position
                                                 : found.code == given.code;
  if (found.kind != given.kind) return false;
  if (found.kind == NodeKind::Equals) return found.code == given.code;
  if (found.kind != NodeKind::Subset) return found.subset == given.subset;
  std::vector<std::int32_t> one = found.subset, other = given.subset;
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  return one == other;
}

}  // namespace plaintree
