// Growing along a given tree: its splits are kept and counted, and one of its nodes may be probed.
//
// Kept nodes go through the steps of the grow loop, but for the choice. So whatever a node below
// depends on (units, divided rows, ranges, closed columns, bounds, the path that draws follow from)
// is what it would be had the loop chosen the same splits itself.
#pragma once

#include "grow/subtree_grower.h"

namespace plaintree {

template <Statistics S>
void SubtreeGrower<S>::follow(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending) {
  switch (open.given == kStopped ? Todo::Stop : context_.given->of(open.given)) {
    case Todo::Keep:
      return keep_split(open, pending);
    case Todo::Probe:
      return probe(open);
    case Todo::Stop:
      return measure_leaf(open);
    case Todo::Grow:
      return;
  }
}

// The spread of a numeric target is not in the sums of a node, so its rows are looked at.
template <Statistics S>
void SubtreeGrower<S>::measure_leaf(OpenNode<Count>& open) {
  store_->sums.read(open.node, counts_);
  total_ = statistics_.weight(counts_.data());
  if (context_.fractional) spread_weights(open);
  measure_node(open);
  byte_counts_.recycle(std::move(open.byte_counts));
}

template <Statistics S>
void SubtreeGrower<S>::keep_split(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending) {
  const GivenTree& given = *context_.given;
  store_->sums.read(open.node, counts_);
  total_ = statistics_.weight(counts_.data());
  if (context_.fractional) spread_weights(open);
  measure_node(open);
  Candidate split = given_split_of(open);
  int n_tied = 0;
  const bool is_new = std::isnan(given.tree.score[open.given]);
  const bool found = is_new && score_by_search(open, split, n_tied);
  columns_.assign(1, given.tree.attribute[open.given]);
  const Column& column = table_.columns[columns_[0]];
  candidates_[0] = std::move(split);
  Candidate& candidate = candidates_[0];
  if (!column.numeric) count_values_of(open, column);
  router_.given_child = given.tree.missing_child[open.given];
  router_.route(view_of(open), column, candidate);
  router_.given_child = -1;
  if (!found) {
    candidate.score = score_by_sums();
    if (!params_.feature_costs.empty())
      candidate.score.value /= params_.feature_costs[static_cast<std::size_t>(columns_[0])];
  }
  write_split(open, Choice{0, n_tied}, column, candidate);
  candidate = {};  // finders write what they find, and leave the rest as it is
  store_->nodes[open.node].is_given = true;
  make_children(open);
  if (!store_->bounds.empty()) bound_children(open, column);
  if (params_.columns_per_node == 0)
    byte_counts_.inherit(view_of(open), router_, places_, open.byte_counts);
  move_rows(open, column);
  const std::uint32_t first_child = store_->nodes[open.node].first_child;
  for (std::uint32_t b = 0; b < places_.size(); ++b)
    if (places_[b].size == 0 && todo_of(open, b) == Todo::Keep)
      keep_without_rows(first_child + b, given.child(open.given, b));
  if (!store_->bounds.empty())
    store_->bounds.resize(store_->nodes.size(), store_->bounds[open.node]);
  open_children(open, pending);
}

// The counts by category that the router finds the most frequent one in.
template <Statistics S>
void SubtreeGrower<S>::count_values_of(OpenNode<Count>& open, const Column& column) {
  const bool imputes =
      params_.missing == Missing::MostCommon || params_.missing == Missing::MostCommonInClass;
  const NodeView<S> view = view_of(open);
  if (!imputes || column.store != Column::Store::Bytes || view.sorts_rows(column)) return;
  if (params_.columns_per_node == 0) return byte_counts_.count_all(view, open.byte_counts);
  if (open.byte_counts.empty()) open.byte_counts = byte_counts_.room();
  const Column* const drawn[] = {&column};
  byte_counts_.count_drawn(view, drawn, open.byte_counts.data());
}

template <Statistics S>
Candidate SubtreeGrower<S>::given_split_of(const OpenNode<Count>& open) const {
  const TreeView& tree = context_.given->tree;
  const int number = tree.attribute[open.given];
  const Column& column = table_.columns[static_cast<std::size_t>(number)];
  std::span<const Item> items;
  if (column.store == Column::Store::Sorted)
    items = {rows_->sorted[column.position].data() + open.begin, open.size()};
  Candidate split = given_split(tree, open.given, table_, items);
  const bool lacks_some =
      split.kind == NodeKind::Grouped &&
      std::find(split.subset.begin(), split.subset.end(), -1) != split.subset.end();
  if (!lacks_some) return split;
  open.codes->with_codes(column, open.size(), [&](auto code_of) {
    for (std::uint32_t i = open.begin; i < open.end; ++i) {
      const std::int32_t code = code_of(table_.row(rows_->entries[i]));
      if (code < column.n_codes && split.subset[static_cast<std::size_t>(code)] < 0)
        throw CannotFollow("rows have a category without a branch", number);
    }
  });
  return split;
}

// Looks for the splits that the loop would choose from, and takes the score over where the given
// one is among them.
template <Statistics S>
bool SubtreeGrower<S>::score_by_search(OpenNode<Count>& open, Candidate& split, int& n_tied) {
  if (!(impurity_ > 0)) return false;
  const int number = context_.given->tree.attribute[open.given];
  const Column& column = table_.columns[static_cast<std::size_t>(number)];
  std::fill(candidates_.begin(), candidates_.end(), Candidate{});
  const Choice choice = best_split(open);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Candidate& found = candidates_[i];
    if (columns_[i] != number || found.kind == NodeKind::Leaf) continue;
    if (!is_same_split(found, split, column)) return false;
    split.score = found.score;
    if (choice.position == static_cast<int>(i)) n_tied = choice.n_tied;
    return true;
  }
  return false;
}

// The score of the split that was routed, from the sums of its branches. (Of C4.5's penalty the
// number of thresholds would have to be known.)
template <Statistics S>
Score SubtreeGrower<S>::score_by_sums() const {
  Score none;
  none.value = std::numeric_limits<double>::quiet_NaN();
  if (params_.criterion == Criterion::AbsoluteError || !(impurity_ > 0)) return none;
  const std::vector<Count>& counts = router_.scored_counts();
  const auto width = static_cast<std::size_t>(statistics_.width());
  std::vector<Count> known(width, 0), missing(counts_);
  for (std::size_t i = 0; i < router_.n_branches * width; ++i) known[i % width] += counts[i];
  for (std::size_t i = 0; i < width; ++i) missing[i] -= known[i];
  const Count known_total = statistics_.weight(known.data());
  if (known_total <= 0) return none;
  const Scorer<Count> scorer(node_measure_, known.data(), known_total, missing.data(),
                             statistics_.weight(missing.data()));
  double open = 0, outcomes = 0;
  for (std::size_t b = 0; b < router_.n_branches; ++b) {
    const Count* branch = counts.data() + b * width;
    const Count weight = statistics_.weight(branch);
    open += node_measure_.information(branch, weight);
    outcomes += node_measure_.x_log_x_of(weight);
  }
  return scorer.score(open, outcomes);
}

// Copies the splits below a node that no row reaches; its leaves predict what it does.
template <Statistics S>
void SubtreeGrower<S>::keep_without_rows(std::uint32_t node, std::int32_t given) {
  const GivenTree& from = *context_.given;
  const std::vector<Count> nothing(static_cast<std::size_t>(statistics_.width()), 0);
  std::vector<std::pair<std::uint32_t, std::int32_t>> pending{{node, given}};
  while (!pending.empty()) {
    const auto [own, source] = pending.back();
    pending.pop_back();
    const auto first = static_cast<std::uint32_t>(store_->nodes.size());
    GrownNode& copy = store_->nodes[own];
    copy.is_given = true;
    copy.kind = from.tree.kind_of(source);
    copy.attribute = from.tree.attribute[source];
    copy.threshold = from.tree.threshold[source];
    copy.score = std::numeric_limits<double>::quiet_NaN();
    copy.missing_child = from.tree.missing_child[source];
    copy.first_child = first;
    copy.n_children = static_cast<std::uint32_t>(from.tree.n_children[source]);
    if (const auto levels = from.tree.levels_of(source); !levels.empty()) {
      copy.levels = static_cast<std::int32_t>(store_->levels.size());
      store_->levels.emplace_back(levels.begin(), levels.end());
    }
    context_.empty_branches.add(copy.n_children, copy.attribute);
    for (std::uint32_t b = 0; b < copy.n_children; ++b) {
      store_->add(nothing, 0, copy.label);
      const std::int32_t child = from.child(source, b);
      if (from.of(child) == Todo::Keep) pending.push_back({first + b, child});
    }
  }
}

// ------------------------------------------------------------ probing

template <Statistics S>
void SubtreeGrower<S>::probe(OpenNode<Count>& open) {
  Offers& result = *context_.given->offers;
  store_->sums.read(open.node, counts_);
  total_ = statistics_.weight(counts_.data());
  if (context_.fractional) spread_weights(open);
  measure_node(open);
  result.reached = true;
  result.n_rows = open.n_rows;
  result.depth = open.depth;
  result.sums = numbers_of(counts_);
  result.impurity = impurity_;
  result.root_weight = context_.root_weight;
  if (result.cuts_of >= 0) {
    const Column& column = table_.columns[static_cast<std::size_t>(result.cuts_of)];
    if (kClasses || impurity_ > 0) list_cuts(open, column);
    return;
  }
  if (!kClasses && !(impurity_ > 0)) {  // gains are fractions of it
    columns_.clear();
    take_all_columns(open);
    for (const int column : columns_) result.offers.emplace_back().column = column;
    return;
  }
  finders_.start(view_of(open));
  byte_counts_.count_all(view_of(open), open.byte_counts);
  std::vector<Refusal> refusals;
  const Choice choice = judge(open, refusals);
  result.chosen = choice.position;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    result.offers.push_back(offer_of(open, static_cast<int>(i), refusals[i]));
  store_->nodes[open.node].kind = NodeKind::Leaf;
  byte_counts_.recycle(std::move(open.byte_counts));
}

// The best split of every open column, as though the others were not there: then none is rejected
// because of another.
template <Statistics S>
Choice SubtreeGrower<S>::judge(OpenNode<Count>& open, std::vector<Refusal>& refusals) {
  Offers& result = *context_.given->offers;
  const bool has_first = take_first_column(open);
  if (has_first) result.demanded = columns_[0];
  columns_.clear();
  take_all_columns(open);
  const std::vector<int> all = columns_;
  std::vector<Candidate> found(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    columns_.assign(1, all[i]);
    candidates_[0] = {};
    find_splits(open);
    found[i] = candidates_[0];
  }
  Choice first;
  if (has_first) {  // it is judged alone
    const auto place = std::find(all.begin(), all.end(), result.demanded) - all.begin();
    columns_.assign(1, result.demanded);
    std::vector<Candidate> alone{found[static_cast<std::size_t>(place)]};
    first = choose(alone, columns_, table_, params_, fraction(), scale());
    if (first.position >= 0) first.position = static_cast<int>(place);
  }
  columns_ = all;
  std::copy(found.begin(), found.end(), candidates_.begin());
  if (params_.criterion == Criterion::GainRatio && params_.average_gain)
    result.average_gain = average_gain(candidates_, columns_, table_);
  const Choice choice =
      choose(candidates_, columns_, table_, params_, fraction(), scale(), &refusals);
  if (first.position < 0) return choice;
  refusals[static_cast<std::size_t>(first.position)] = Refusal::None;
  return first;
}

template <Statistics S>
ColumnOffer SubtreeGrower<S>::offer_of(const OpenNode<Count>& open, int position, Refusal refusal) {
  const int number = columns_[static_cast<std::size_t>(position)];
  const Column& column = table_.columns[static_cast<std::size_t>(number)];
  const Candidate& candidate = candidates_[static_cast<std::size_t>(position)];
  ColumnOffer offer;
  offer.column = number;
  offer.refusal = refusal;
  if (candidate.kind == NodeKind::Leaf) {
    count_values(open, column, offer);
    return offer;
  }
  router_.route(view_of(open), column, candidate);
  GrownNode& node = store_->nodes[open.node];
  node = GrownNode{};
  store_->surrogates.erase(open.node);
  write_split(open, Choice{position, 0}, column, candidate);
  offer.kind = node.kind;
  offer.score = node.score;
  offer.gain = candidate.score.gain * scale();
  offer.penalty = candidate.penalty * scale();
  offer.split_info = candidate.score.split_info;
  if (node.kind == NodeKind::Threshold)
    offer.threshold = node.code >= 0 ? threshold_of(node) : node.threshold;
  if (node.levels >= 0) offer.levels = store_->levels[static_cast<std::size_t>(node.levels)];
  if (router_.is_tested())
    offer.p_value =
        router_.p_value({candidate.kind, column.n_codes, static_cast<int>(columns_.size())});
  offer.missing_child = router_.missing_child;
  offer.n_missing = router_.n_missing;
  offer.branch_rows.assign(router_.branch_rows.begin(), router_.branch_rows.end());
  for (std::uint32_t b = 0; b < router_.n_children(); ++b) {
    const std::vector<double> own = numbers_of(router_.counts_of(b));
    offer.branch_sums.insert(offer.branch_sums.end(), own.begin(), own.end());
  }
  return offer;
}

// Of a column without a split: how many values it has that a split could separate.
template <Statistics S>
void SubtreeGrower<S>::count_values(const OpenNode<Count>& open, const Column& column,
                                    ColumnOffer& offer) const {
  const NodeView<S> view = view_of(open);
  SearchScratch<Count> scratch;
  const SortedList list = sorted_list(view, column, scratch);
  offer.n_missing = view.size() - list.n_known;
  offer.n_values = list.n_known > 0;
  const ItemRange<S> range{view, column, list.items, list.n_known};
  const double gap = column.numeric ? params_.min_separation : 0.0;
  for (std::uint32_t i = 0; i + 1 < list.n_known && offer.n_values < 2; ++i)
    offer.n_values += list.items[i].rank != list.items[i + 1].rank && range.wide_enough(i, gap);
}

// All thresholds of a column, whether they may be used or not. Gains and scores are without C4.5's
// penalty. (By absolute error they are not known: deviations do not follow from sums.)
template <Statistics S>
void SubtreeGrower<S>::list_cuts(const OpenNode<Count>& open, const Column& column) {
  Cuts& cuts = context_.given->offers->cuts;
  const NodeView<S> view = view_of(open);
  SearchScratch<Count> scratch;
  const SortedList list = sorted_list(view, column, scratch);
  auto sums = without_missing(view, scratch.missing, scratch.known);
  if (params_.counts_rows()) count_rows(view, list, sums, scratch.cuts.missing_rows);
  if (sums.known_total <= 0) return;
  CutSearch<Count> search(node_measure_, sums, scratch.cuts, view.monotonic(column));
  cuts.all = numbers_of({search.sums_known_and_imputed(), counts_.size()});
  const ItemRange<S> range{view, column, list.items, list.n_known};
  const bool is_possible = search.possible();
  const double cost =
      params_.feature_costs.empty()
          ? 1.0
          : params_.feature_costs[static_cast<std::size_t>(&column - &table_.columns[0])];
  const auto add = [&](const Count* low, Count weight, CutRefusal refusal, const Gap& gap) {
    const Score score = search.score_of(low, weight);
    const bool is_scored = params_.criterion != Criterion::AbsoluteError;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    cuts.thresholds.push_back(threshold_in(gap, column, params_));
    cuts.scores.push_back(is_scored ? score.value / cost * scale() : nothing);
    cuts.gains.push_back(is_scored ? score.gain * scale() : nothing);
    const std::vector<double> below = numbers_of({low, counts_.size()});
    cuts.below.insert(cuts.below.end(), below.begin(), below.end());
    cuts.refusals.push_back(static_cast<std::uint8_t>(refusal));
  };
  const auto gap_between = [&](const Item& a, const Item& b) {
    return column.store == Column::Store::Sorted
               ? gap_between_items(table_, column, a, b)
               : gap_between_codes(column, static_cast<std::int32_t>(a.rank),
                                   static_cast<std::int32_t>(b.rank));
  };
  if (range.all_equal()) {
    if (search.separates_known())
      add(sums.known, sums.known_total, CutRefusal::None,
          gap_between(list.items[0], list.items[0]));
    return;
  }
  std::vector<Count> low(counts_.size(), 0);
  std::uint32_t n_rows = 0;
  for (std::uint32_t i = 0; i + 1 < list.n_known; ++i) {
    view.add(low.data(), list.items[i].entry);
    n_rows += view.rows_in(list.items[i].entry);
    if (list.items[i].rank == list.items[i + 1].rank) continue;
    const Count* below = low.data();
    Count weight = statistics_.weight(below);
    std::uint32_t rows_below = n_rows;
    if (search.imputes()) {
      weight = search.adjusted(below, weight, rows_below);
      below = search.adjusted_sums();
    }
    CutRefusal refusal = CutRefusal::None;
    if (!range.wide_enough(i, params_.min_separation))
      refusal = CutRefusal::TooClose;
    else if (!search.may_predict(below))
      refusal = CutRefusal::NoMean;
    else if (!is_possible || !search.admissible(weight, rows_below))
      refusal = CutRefusal::FewRows;
    else if (!search.is_monotonic(below, weight))
      refusal = CutRefusal::Monotonic;
    add(below, weight, refusal, gap_between(list.items[i], list.items[i + 1]));
  }
}

// The weights of the classes; or the weight and the mean of numbers.
template <Statistics S>
std::vector<double> SubtreeGrower<S>::numbers_of(std::span<const Count> sums) const {
  std::vector<double> result;
  if constexpr (kClasses) {
    for (const Count sum : sums) result.push_back(measure_.weight(sum));
  } else {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    result = {measure_.weight(sums[0]), sums[0] > 0 ? measure_.mean(sums.data()) : nothing};
  }
  return result;
}

}  // namespace plaintree
