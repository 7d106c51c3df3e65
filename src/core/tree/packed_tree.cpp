#include "tree/packed_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/criterion.h"
#include "stats/statistics.h"
#include "tree/prediction.h"

namespace plaintree {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool all_whole(std::span<const double> values) {
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return v >= 0 && v <= kMost && v == std::floor(v); });
}

// Sums of the children's class weights, for every inner node; leaves as they are.
void sum_children(const PackedTree& tree, std::span<double> weights) {
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  for (std::size_t node = tree.n_nodes(); node-- > 0;) {
    if (tree.steps[node].attribute < 0) continue;
    const std::span<double> own = weights.subspan(node * n_classes, n_classes);
    std::fill(own.begin(), own.end(), 0.0);
    const auto first = static_cast<std::size_t>(tree.steps[node].first_child);
    const std::int32_t n_children = tree.n_children_of(static_cast<std::int32_t>(node));
    for (std::int32_t c = 0; c < n_children; ++c)
      for (std::size_t k = 0; k < n_classes; ++k)
        own[k] += weights[(first + static_cast<std::size_t>(c)) * n_classes + k];
  }
}

std::vector<double> sums_of_classes(std::span<const double> class_weights, int n_classes) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < class_weights.size(); i += static_cast<std::size_t>(n_classes)) {
    double sum = 0;
    for (int c = 0; c < n_classes; ++c) sum += class_weights[i + static_cast<std::size_t>(c)];
    sums.push_back(sum);
  }
  return sums;
}

// An empty node has its parent's label.
std::vector<std::int32_t> labels_by_weight(const PackedTree& tree,
                                           const std::vector<double>& weight,
                                           std::span<const double> class_weights) {
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  std::vector<std::int32_t> labels(tree.n_nodes(), 0);
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const double* own = class_weights.data() + node * n_classes;
    // What stands there already is the parent's label.
    labels[node] =
        label_of_branch(!(weight[node] > 0), labels[node], majority_class(own, tree.n_classes));
    if (tree.steps[node].attribute < 0) continue;
    const auto first = static_cast<std::size_t>(tree.steps[node].first_child);
    const std::int32_t n_children = tree.n_children_of(static_cast<std::int32_t>(node));
    for (std::int32_t c = 0; c < n_children; ++c)
      labels[first + static_cast<std::size_t>(c)] = labels[node];
  }
  return labels;
}

std::vector<double> impurities(const PackedTree& tree, std::span<const double> class_weights) {
  Params params;
  params.criterion = tree.criterion;
  const XLogX no_table;
  const Measure measure{&params, tree.n_classes, 1.0, &no_table};
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  std::vector<double> result;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const double* weights = class_weights.data() + node * n_classes;
    double total = 0;
    for (std::size_t c = 0; c < n_classes; ++c) total += weights[c];
    result.push_back(total > 0 ? measure.information(weights, total) / total : 0.0);
  }
  return result;
}

void pack_inner_nodes(const TreeArrays& tree, PackedTree& packed) {
  const std::size_t n = tree.kind.size();
  std::vector<std::int32_t> kind, missing, tied, n_children, numbers(n, -1);
  std::int32_t n_leaves = 0;
  bool two_each = true, in_order = true;
  for (std::size_t i = 0; i < n; ++i) {
    const bool leaf = tree.n_children[i] == 0;
    packed.steps.push_back({leaf ? 0.0 : tree.threshold[i], leaf ? -1 : tree.attribute[i],
                            leaf ? n_leaves++ : tree.first_child[i]});
    if (leaf) continue;
    numbers[i] = static_cast<std::int32_t>(kind.size());
    in_order = in_order && tree.first_child[i] == 1 + 2 * numbers[i];
    two_each = two_each && tree.n_children[i] == 2;
    kind.push_back(tree.kind[i]);
    missing.push_back(tree.missing_child[i]);
    tied.push_back(tree.n_tied[i]);
    n_children.push_back(tree.n_children[i]);
    packed.score.push_back(tree.score[i]);
    packed.levels.insert(packed.levels.end(), tree.levels.begin() + tree.level_begin[i],
                         tree.levels.begin() + tree.level_end[i]);
    packed.level_ends.push_back(static_cast<std::int64_t>(packed.levels.size()));
  }
  const auto is_threshold = [](std::int32_t k) {
    return k == static_cast<std::int32_t>(NodeKind::Threshold);
  };
  if (!std::all_of(kind.begin(), kind.end(), is_threshold)) packed.kind = NarrowInts(kind);
  if (!two_each) packed.n_children = NarrowInts(n_children);
  if (!two_each || !in_order) packed.inner = std::move(numbers);
  if (packed.levels.empty()) packed.level_ends = {};
  packed.missing_child = NarrowInts(missing);
  packed.n_tied = NarrowInts(tied);
}

void pack_class_weights(const TreeArrays& tree, bool of_all_nodes, PackedTree& packed) {
  const Zeroed<double>& given = tree.class_weights;
  const auto n_classes = static_cast<std::size_t>(packed.n_classes);
  if (!all_whole(given)) {
    packed.node_weights.assign(given.begin(), given.end());
    return;
  }
  Zeroed<double> sums = given;
  sum_children(packed, sums);
  if (of_all_nodes || sums != given) {
    packed.node_counts.assign(given.begin(), given.end());
    return;
  }
  std::vector<std::int32_t> counts;
  for (std::size_t i = 0; i < packed.n_nodes(); ++i)
    if (packed.steps[i].attribute < 0)
      for (std::size_t c = 0; c < n_classes; ++c)
        counts.push_back(static_cast<std::int32_t>(given[i * n_classes + c]));
  packed.leaf_counts = NarrowInts(counts);
}

void pack_targets(const TreeArrays& tree, PackedTree& packed) {
  for (std::size_t i = 0; i < packed.n_nodes(); ++i)
    if (packed.steps[i].attribute < 0)
      packed.steps[i].threshold = tree.value[i];
    else
      packed.value.push_back(tree.value[i]);
  packed.weight = tree.weight;
  packed.impurity = tree.impurity;
}

// Equal, and nowhere undefined.
bool same(const std::vector<double>& a, const std::vector<double>& b) { return a == b; }

Zeroed<double> unpack_class_weights(const PackedTree& tree) {
  if (!tree.node_weights.empty()) return {tree.node_weights.begin(), tree.node_weights.end()};
  const auto n_classes = static_cast<std::size_t>(tree.n_classes);
  if (!tree.node_counts.empty()) return {tree.node_counts.begin(), tree.node_counts.end()};
  Zeroed<double> weights(tree.n_nodes() * n_classes);
  for (std::size_t i = 0; i < tree.n_nodes(); ++i) {
    if (tree.steps[i].attribute >= 0) continue;
    const auto leaf = static_cast<std::size_t>(tree.steps[i].first_child);
    for (std::size_t c = 0; c < n_classes; ++c)
      if (const std::int32_t count = tree.leaf_counts[leaf * n_classes + c])
        weights[i * n_classes + c] = count;
  }
  sum_children(tree, weights);
  return weights;
}

}  // namespace

NarrowInts::NarrowInts(std::span<const std::int32_t> values) {
  std::int32_t least = 0, most = 0;
  for (const std::int32_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const auto fit = [=]<class Int>(const std::vector<Int>&) {
    using Limits = std::numeric_limits<Int>;
    return least >= Limits::min() && most <= Limits::max();
  };
  if (fit(bytes_))
    bytes_.assign(values.begin(), values.end());
  else if (fit(shorts_))
    shorts_.assign(values.begin(), values.end());
  else
    ints_.assign(values.begin(), values.end());
}

PackedTree PackedTree::pack(const TreeArrays& tree, int n_classes, Criterion criterion,
                            bool any_node_answers) {
  PackedTree packed;
  packed.n_classes = n_classes;
  packed.criterion = criterion;
  packed.steps.reserve(tree.kind.size());
  packed.n_rows.assign(tree.n_rows.begin(), tree.n_rows.end());
  pack_inner_nodes(tree, packed);
  if (packed.has_targets()) {
    pack_targets(tree, packed);
    return packed;
  }
  const NarrowInts& missing = packed.missing_child;
  bool divides = false;
  for (std::size_t i = 0; i < packed.score.size(); ++i) divides = divides || missing[i] < 0;
  pack_class_weights(tree, any_node_answers || divides, packed);
  if (!same(sums_of_classes(tree.class_weights, n_classes), tree.weight))
    packed.weight = tree.weight;
  // An internal node without weight also predicts its label, which is stored nowhere else.
  bool label_answers = false;
  for (std::size_t i = 0; i < packed.n_nodes(); ++i)
    label_answers = label_answers || (packed.steps[i].attribute >= 0 && tree.weight[i] <= 0);
  if (label_answers || labels_by_weight(packed, tree.weight, tree.class_weights) != tree.label)
    packed.label = tree.label;
  if (!same(impurities(packed, tree.class_weights), tree.impurity)) packed.impurity = tree.impurity;
  for (std::size_t i = 0; i < packed.n_nodes(); ++i)
    if (packed.steps[i].attribute < 0) packed.steps[i].threshold = tree.label[i];
  return packed;
}

TreeArrays PackedTree::unpack() const {
  TreeArrays tree;
  std::size_t next_inner = 0;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    const bool leaf = steps[i].attribute < 0;
    tree.kind.push_back(static_cast<std::int8_t>(kind_of(node)));
    tree.attribute.push_back(steps[i].attribute);
    tree.threshold.push_back(kind_of(node) == NodeKind::Threshold ? steps[i].threshold : kNone);
    tree.first_child.push_back(leaf ? -1 : steps[i].first_child);
    tree.n_children.push_back(leaf ? 0 : n_children_of(node));
    tree.missing_child.push_back(leaf ? -1 : missing_child_of(node));
    tree.n_tied.push_back(leaf ? 0 : n_tied[inner_number(node)]);
    tree.score.push_back(leaf ? kNone : score[inner_number(node)]);
    const std::int64_t begin =
        level_ends.empty() || next_inner == 0 ? 0 : level_ends[next_inner - 1];
    tree.level_begin.push_back(begin);
    tree.level_end.push_back(leaf || level_ends.empty() ? begin : level_ends[next_inner]);
    next_inner += !leaf;
  }
  tree.levels = levels;
  tree.n_rows.assign(n_rows.begin(), n_rows.end());
  if (has_targets()) {
    for (std::size_t i = 0; i < n_nodes(); ++i)
      tree.value.push_back(value_of(static_cast<std::int32_t>(i)));
    tree.weight = weight;
    tree.impurity = impurity;
    tree.label.assign(n_nodes(), 0);
    return tree;
  }
  tree.class_weights = unpack_class_weights(*this);
  tree.weight = weight.empty() ? sums_of_classes(tree.class_weights, n_classes) : weight;
  tree.label = label.empty() ? labels_by_weight(*this, tree.weight, tree.class_weights) : label;
  tree.impurity = impurity.empty() ? impurities(*this, tree.class_weights) : impurity;
  return tree;
}

std::size_t PackedTree::n_bytes() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return sizeof(PackedTree) + bytes(steps) + bytes(n_rows) + bytes(score) +
         missing_child.n_bytes() + n_tied.n_bytes() + kind.n_bytes() + n_children.n_bytes() +
         bytes(inner) + bytes(level_ends) + bytes(levels) + leaf_counts.n_bytes() +
         bytes(node_counts) + bytes(node_weights) + bytes(value) + bytes(weight) + bytes(impurity) +
         bytes(label);
}

std::span<const std::int32_t> PackedTree::levels_of(std::int32_t node) const {
  const std::size_t number = inner_number(node);
  const std::int64_t begin = number == 0 ? 0 : level_ends[number - 1];
  return {levels.data() + begin, static_cast<std::size_t>(level_ends[number] - begin)};
}

double PackedTree::class_weight(std::int32_t node, int c) const {
  const auto at = [&](std::int32_t i) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_classes) +
           static_cast<std::size_t>(c);
  };
  if (!node_weights.empty()) return node_weights[at(node)];
  if (!node_counts.empty()) return node_counts[at(node)];
  return leaf_counts[at(steps[node].first_child)];
}

double PackedTree::weight_of(std::int32_t node) const {
  if (!weight.empty()) return weight[static_cast<std::size_t>(node)];
  double sum = 0;
  for (int c = 0; c < n_classes; ++c) sum += class_weight(node, c);
  return sum;
}

std::int32_t PackedTree::answer_of_inner(std::int32_t node) const {
  if (!label.empty()) return label[static_cast<std::size_t>(node)];
  std::vector<double> weights;
  for (int c = 0; c < n_classes; ++c) weights.push_back(class_weight(node, c));
  return majority_class(weights.data(), n_classes);
}

void PackedTree::add_shares(std::int32_t node, double share, double* shares) const {
  if (has_targets()) {
    shares[0] += share * value_of(node);
    return;
  }
  const double total = weight_of(node);
  if (total <= 0) {
    shares[answer_of(node)] += share;
    return;
  }
  for (int c = 0; c < n_classes; ++c) shares[c] += share * (class_weight(node, c) / total);
}

}  // namespace plaintree
