// The grow loop.
//
// A node is worked off in five steps (SubtreeGrower::split):
//   1. find       the best split of every column, or of a few drawn at random
//   2. choose     the column whose split scores best
//   3. route      every row to a branch, counting classes
//   4. children   become nodes; those that cannot be split are leaves
//   5. move       the rows of the other children to ranges of their own
// Nothing else decides what the tree looks like.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "grow/growing.h"
#include "grow/partition.h"
#include "grow/router.h"
#include "grow/row_packs.h"
#include "search/choice.h"
#include "search/count/byte_counts.h"
#include "search/finders.h"
#include "search/threshold.h"
#include "tree/prediction.h"

namespace plaintree {

// Scratch buffers of one thread.
template <class Count>
struct MoveScratch {
  std::vector<Item> items;
  std::vector<Entry> entries;
  std::vector<Count> weights;
};

template <Statistics S>
class SubtreeGrower {
 public:
  using Count = typename S::Sum;
  using Weight = typename S::Weight;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  SubtreeGrower(const Context<S>& context, Watch& watch, Team* team, bool on_calling_thread)
      : context_(context),
        table_(context.table),
        statistics_(context.statistics),
        params_(context.params),
        measure_(context.measure),
        node_measure_(context.measure),
        watch_(watch),
        team_(team),
        polls_(on_calling_thread),
        scratch_(team ? team->size() : 1),
        candidates_(context.table.columns.size()),
        columns_(context.table.columns.size()),
        shuffle_(static_cast<std::uint32_t>(context.table.columns.size())),
        finders_(context.table, context.measure, team ? team->size() : 1),
        router_(context.table, context.statistics, context.measure, team),
        byte_counts_(context.table, context.statistics, team) {
    std::iota(columns_.begin(), columns_.end(), 0);
    drawn_.resize(columns_.size() / 64 + 1);
    if (context.fractional) weight_of_row_.resize(table_.n_rows);
  }

  // Grows everything below `root`; nodes of fewer rows than `smallest` are set aside in `aside`.
  void grow(Rows<Count>& rows, GrownNodes<Count>& store, OpenNode<Count> root,
            std::uint32_t smallest = 0, std::vector<Task<Count>>* aside = nullptr) {
    rows_ = &rows;
    store_ = &store;
    packs_.clear();
    if constexpr (std::is_same_v<Weight, std::int64_t>)
      if (!context_.fractional) weight_of_ = context_.weight_of;
    std::vector<OpenNode<Count>> pending;
    pending.push_back(std::move(root));
    while (!pending.empty()) {
      OpenNode<Count> open = std::move(pending.back());
      pending.pop_back();
      pause_for(open.size());
      packs_.finish(pending.size());
      if (worth_packing(open))
        open.codes = packs_.pack(table_, *open.codes,
                                 {rows.entries.data() + open.begin, open.size()}, pending.size());
      if (aside && open.size() < smallest)
        set_aside(std::move(open), *aside);
      else if (open.given != kGrown)
        follow(open, pending);
      else
        split(open, pending);
    }
    look_up_thresholds();
  }

 private:
  // ------------------------------------------------------------ a given tree, see follow.h

  void follow(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending);
  void keep_split(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending);
  void measure_leaf(OpenNode<Count>& open);
  void probe(OpenNode<Count>& open);
  ColumnOffer offer_of(const OpenNode<Count>& open, int position, Refusal refusal);
  Choice judge(OpenNode<Count>& open, std::vector<Refusal>& refusals);
  void count_values_of(OpenNode<Count>& open, const Column& column);
  Candidate given_split_of(const OpenNode<Count>& open) const;
  bool score_by_search(OpenNode<Count>& open, Candidate& split, int& n_tied);
  Score score_by_sums() const;
  void keep_without_rows(std::uint32_t node, std::int32_t given);
  void count_values(const OpenNode<Count>& open, const Column& column, ColumnOffer& offer) const;
  void list_cuts(const OpenNode<Count>& open, const Column& column);
  std::vector<double> numbers_of(std::span<const Count> sums) const;
  Todo todo_of(const OpenNode<Count>& open, std::uint32_t branch) const {
    return open.given < 0 ? Todo::Grow : context_.given->of_branch(open.given, branch);
  }

  // ------------------------------------------------------------ the five steps

  void split(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending) {
    store_->sums.read(open.node, counts_);
    total_ = statistics_.weight(counts_.data());
    if (context_.fractional) spread_weights(open);
    const Choice choice = measure_node(open) ? best_split(open) : Choice{};
    if (choice.position < 0) return byte_counts_.recycle(std::move(open.byte_counts));
    const Column& column = table_.columns[columns_[choice.position]];
    const Candidate& candidate = candidates_[choice.position];
    const bool moves = only_entries_move(column, candidate);
    if (moves)
      router_.cut(view_of(open), column, candidate, rows_->entries.data() + open.begin);
    else
      router_.route(view_of(open), column, candidate);
    if (!router_.significant({candidate.kind, column.n_codes, static_cast<int>(columns_.size())}))
      return byte_counts_.recycle(std::move(open.byte_counts));
    write_split(open, choice, column, candidate);
    make_children(open);
    if (!store_->bounds.empty()) bound_children(open, column);
    if (params_.columns_per_node == 0)  // otherwise the children draw other columns
      byte_counts_.inherit(view_of(open), router_, places_, open.byte_counts);
    if (!moves) move_rows(open, column);
    open_children(open, pending);
  }

  // What scores are relative to; false if the node is a leaf.
  bool measure_node(const OpenNode<Count>& open) {
    if constexpr (kClasses) {
      impurity_ = measure_.information(counts_.data(), total_) / measure_.weight(total_);
      return true;
    } else {
      const NodeView<S> view = view_of(open);
      const TargetFacts facts = target_facts(measure_, counts_.data(), [&](auto use) {
        view.for_each(view.begin(), view.end(), [&](Entry entry, Weight weight) {
          use(statistics_.target_of(entry), weight);
        });
      });
      if (store_->targets.size() <= open.node) store_->targets.resize(open.node + 1);
      store_->targets[open.node] = facts;
      impurity_ = facts.impurity;
      if (impurity_ > 0) node_measure_ = measure_.of_node(counts_.data(), impurity_, facts.range);
      return impurity_ > 0 && may_split(context_, counts_.data(), open.n_rows, open.depth);
    }
  }

  // Steps 1 and 2. Where columns are drawn, further ones are while none offers a split.
  Choice best_split(OpenNode<Count>& open) {
    finders_.start(view_of(open));
    if (params_.columns_per_node == 0) byte_counts_.count_all(view_of(open), open.byte_counts);
    if (take_first_column(open))
      if (const Choice choice = best_of_columns(open); choice.position >= 0) return choice;
    if (params_.columns_per_node == 0) {
      take_all_columns(open);
      return best_of_columns(open);
    }
    shuffle_.start(open.path);
    for (int wanted = params_.columns_per_node;; wanted = 1) {
      draw_columns(open, wanted);
      const Choice choice = best_of_columns(open);
      if (choice.position >= 0 || shuffle_.empty()) return choice;
    }
  }
  Choice best_of_columns(OpenNode<Count>& open) {
    find_splits(open);
    return choose(candidates_, columns_, table_, params_, fraction(), scale());
  }

  // What a score of one stands for.
  double scale() const { return kClasses ? 1.0 : impurity_; }
  double fraction() const { return measure_.weight(total_) / context_.root_weight; }

  // Whether nodes of this depth are to be split on a certain column, if it offers a split.
  bool take_first_column(const OpenNode<Count>& open) {
    if (static_cast<std::size_t>(open.depth) >= params_.first.size()) return false;
    const std::int32_t column = params_.first[static_cast<std::size_t>(open.depth)];
    columns_.assign(1, column);
    return !open.closed || !open.closed->columns[column];
  }

  // All columns that are open.
  void take_all_columns(const OpenNode<Count>& open) {
    if (!open.closed && columns_.size() == table_.columns.size()) return;
    columns_.clear();
    for (int j = 0; j < static_cast<int>(table_.columns.size()); ++j)
      if (!open.closed || !open.closed->columns[j]) columns_.push_back(j);
  }

  // The next columns of the node's random order that are open, in the table's order; without those
  // in which all rows are known to agree.
  void draw_columns(const OpenNode<Count>& open, int wanted) {
    const std::vector<bool>* closed = open.closed ? &open.closed->columns : nullptr;
    shuffle_.take(wanted, [closed, drawn = drawn_.data()](std::uint32_t column) {
      const bool is_open = !closed || !(*closed)[column];
      drawn[column / 64] |= std::uint64_t(is_open) << column % 64;
      return is_open;
    });
    columns_.clear();
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      std::uint64_t word = std::exchange(drawn_[i], 0) & finders_.may_differ(64 * i);
      for (; word != 0; word &= word - 1)
        columns_.push_back(static_cast<int>(64 * i) + std::countr_zero(word));
    }
  }

  // Step 1.
  void find_splits(OpenNode<Count>& open) {
    NodeView<S> view = view_of(open);
    finders_.share_out(view, columns_, candidates_.data());
    if (params_.columns_per_node > 0 && !finders_.counted().empty()) {
      if (open.byte_counts.empty()) open.byte_counts = byte_counts_.room();
      byte_counts_.count_drawn(view, finders_.counted(), open.byte_counts.data());
    }
    view.tables = open.byte_counts.data();
    finders_.find(view, team_for(open.size(), team_));
  }

  // Step 4: nodes for all branches, and which of them are to be split further.
  void make_children(const OpenNode<Count>& open) {
    const std::uint32_t n = router_.n_children();
    GrownNode& parent = store_->nodes[open.node];
    const std::int32_t parent_label = parent.label;
    parent.first_child = static_cast<std::uint32_t>(store_->nodes.size());
    parent.n_children = n;
    parent.missing_child = router_.missing_child;
    const std::vector<std::uint32_t>& n_rows = router_.branch_rows;
    const auto n_empty = static_cast<std::size_t>(std::count(n_rows.begin(), n_rows.end(), 0u));
    context_.empty_branches.add(n_empty, parent.attribute);
    places_.assign(n, {});
    const bool drawn = !router_.branch_times.empty();
    std::uint32_t at = open.begin;
    for (std::uint32_t b = 0; b < n; ++b) {
      const std::span<const Count> sums = router_.counts_of(b);
      const bool empty = router_.branch_rows[b] == 0;
      const auto label = label_of_branch(empty, parent_label, statistics_.label(sums.data()));
      store_->add(sums, router_.branch_rows[b], label);
      const std::uint32_t n_rows = (drawn ? router_.branch_times : router_.branch_rows)[b];
      // Whether numeric targets are equal is seen when a node is opened.
      const Todo todo = todo_of(open, b);
      const bool grows = todo == Todo::Grow &&
                         (!kClasses ? router_.branch_rows[b] > 1
                                    : may_split(context_, sums.data(), n_rows, open.depth + 1));
      const bool measured = !kClasses && todo == Todo::Stop && router_.branch_rows[b] > 1;
      places_[b].kept = !empty && (grows || measured || todo == Todo::Keep || todo == Todo::Probe);
      places_[b].n_rows = n_rows;
      places_[b].begin = at;
      places_[b].size = router_.branch_rows[b];
      // Two branches are partitioned in place; otherwise only kept branches need a range.
      if (places_[b].kept || router_.routing.two_way) at += router_.branch_rows[b];
    }
  }

  // What the children may predict: after a cut of a monotonic column the middle is between both.
  void bound_children(const OpenNode<Count>& open, const Column& column) {
    const Bounds own = store_->bounds[open.node];
    store_->bounds.resize(store_->nodes.size(), own);
    if (column.monotonic == 0 || (open.given >= 0 && has_empty_side())) return;
    const Middle middle{value_of_branch(open, 0), value_of_branch(open, 1)};
    Bounds* of_child = &store_->bounds[store_->nodes[open.node].first_child];
    of_child[column.monotonic < 0] = own.below(middle);
    of_child[column.monotonic > 0] = own.above(middle);
  }

  // Whether a given threshold separates nothing.
  bool has_empty_side() const { return router_.branch_rows[0] == 0 || router_.branch_rows[1] == 0; }

  // What a branch would predict as a leaf: by absolute error a median, for which its rows are read.
  Fraction value_of_branch(const OpenNode<Count>& open, std::uint32_t branch) const {
    if constexpr (!kClasses)
      if (params_.criterion == Criterion::AbsoluteError) {
        const NodeView<S> view = view_of(open);
        std::vector<TargetWeight> rows;
        view.for_each(view.begin(), view.end(), [&](Entry entry, Weight weight) {
          const std::uint32_t to = router_.branch_of_row(table_.row(entry));
          const Weight part = to == kEveryBranch ? router_.share(weight, branch) : weight;
          if (to == branch || to == kEveryBranch)
            rows.push_back({statistics_.target_of(entry), part});
        });
        return {twice_the_median(rows), 2};
      }
    const Count* sums = router_.counts_of(branch).data();
    return value_of(sums, statistics_.weight(sums));
  }

  // Step 5.
  void move_rows(const OpenNode<Count>& open, const Column& split_column) {
    if (std::none_of(places_.begin(), places_.end(), [](const Place& p) { return p.kept; })) return;
    if (context_.fractional) move_weights(open);
    const bool in_order = split_column.store == Column::Store::Sorted && router_.routing.two_way &&
                          router_.n_missing == 0;  // its list is cut in two as it is
    const int n_lists = static_cast<int>(rows_->sorted.size());
    const int n_arrays = n_lists + !rows_->entries.empty();
    for_each(team_for(open.size(), team_), n_arrays, [&](int list, int thread) {
      MoveScratch<Count>& scratch = scratch_[thread];
      if (list == n_lists)
        move(open, rows_->entries, scratch.entries);
      else if (!in_order || list != split_column.position)
        move(open, rows_->sorted[list], scratch.items);
    });
  }

  template <class T>
  void move(const OpenNode<Count>& open, std::vector<T>& elements, std::vector<T>& scratch) {
    if (router_.routing.two_way)
      partition_two(table_, router_.routing, elements.data() + open.begin, open.size(), places_[0],
                    places_[1], scratch);
    else
      partition_many(table_, router_.routing, elements, open.begin, open.end, places_,
                     router_.shared, scratch);
  }

  // ------------------------------------------------------------ parts of steps 3 to 5

  // Are the rows cut in two, and known to nothing but entries and codes? (Then nobody is told which
  // side a row went to, see value_of_branch.)
  bool only_entries_move(const Column& column, const Candidate& candidate) const {
    return params_.columns_per_node > 0 && candidate.kind == NodeKind::Threshold &&
           params_.missing != Missing::Surrogate && column.monotonic == 0 &&
           (!column.has_missing || params_.missing == Missing::MostCommon) &&
           rows_->sorted.empty() && !context_.fractional;
  }

  void write_split(const OpenNode<Count>& open, const Choice& choice, const Column& column,
                   const Candidate& candidate) {
    GrownNode& node = store_->nodes[open.node];
    node.kind = candidate.kind;
    node.attribute = columns_[choice.position];
    node.n_tied = choice.n_tied;
    // What gains nothing may come out a rounding error below or above it.
    node.score = std::fabs(candidate.score.value) < 1e-12 ? 0.0 : candidate.score.value * scale();
    if (!router_.surrogates.empty())
      store_->surrogates.emplace(open.node, std::move(router_.surrogates));
    if (candidate.kind == NodeKind::Threshold) return write_cut(open, column, candidate, node);
    if (candidate.kind == NodeKind::Multiway) return;
    node.levels = static_cast<std::int32_t>(store_->levels.size());
    if (params_.missing == Missing::Surrogate) {  // categories without rows go by the surrogates
      node.kind = NodeKind::Grouped;
      store_->levels.push_back(router_.groups);
    } else if (candidate.kind == NodeKind::Equals)
      store_->levels.push_back({candidate.code});
    else
      store_->levels.push_back(candidate.subset);
  }

  void write_cut(const OpenNode<Count>& open, const Column& column, const Candidate& candidate,
                 GrownNode& node) const {
    if (!std::isnan(candidate.threshold)) {
      node.threshold = candidate.threshold;
      return;
    }
    if (column.store != Column::Store::Sorted) {
      node.code = candidate.code;
      node.next_code = candidate.next_code;
      return;
    }
    const Item* above = &rows_->sorted[column.position][open.begin + candidate.position];
    // Where all known rows are on the low side, missing ones come next.
    const Item* next = above->rank == kMissingRank ? above - 1 : above;
    const auto place = [&](const Item& item) {
      return static_cast<std::int32_t>(column.least.empty() ? table_.row(item.entry) : item.rank);
    };
    node.code = place(above[-1]);
    node.next_code = place(*next);
  }

  // The values of codes and rows lie far apart in memory: once all nodes are there, their
  // thresholds are looked up together, and those of later nodes are fetched meanwhile. One by
  // one they took 5 % of the time of a regression tree of 200,000 x 10 floats.
  void look_up_thresholds() {
    constexpr std::size_t kAhead = 24;
    NodeList& nodes = store_->nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const GrownNode& later = nodes[std::min(i + kAhead, nodes.size() - 1)];
      if (later.code >= 0) {
        const Column& column = table_.columns[later.attribute];
        if (column.least.empty()) {
          __builtin_prefetch(column.view.at(later.code));
          __builtin_prefetch(column.view.at(later.next_code));
        } else {
          __builtin_prefetch(&column.greatest()[later.code]);
          __builtin_prefetch(&column.least[later.next_code]);
        }
      }
      GrownNode& node = nodes[i];
      if (node.code >= 0) node.threshold = threshold_of(node);
    }
  }
  double threshold_of(const GrownNode& node) const {
    const Column& column = table_.columns[node.attribute];
    const Gap gap = column.least.empty() ? gap_between_rows(column, node.code, node.next_code)
                                         : gap_between_codes(column, node.code, node.next_code);
    return threshold_in(gap, column, params_);
  }

  void open_children(OpenNode<Count>& open, std::vector<OpenNode<Count>>& pending) {
    const GrownNode& parent = store_->nodes[open.node];
    const Closed closed = closed_below(open.closed, params_, table_.columns.size(),
                                       parent.attribute, parent.kind == NodeKind::Multiway);
    std::vector<std::uint32_t>& order = order_;
    order.clear();
    for (std::uint32_t b = 0; b < places_.size(); ++b)
      if (places_[b].kept) order.push_back(b);
    // The smallest first, so that few nodes wait at any time; rows of divided nodes must be
    // worked off from the end of the arrays.
    const auto larger = [&](std::uint32_t a, std::uint32_t b) {
      return places_[a].size > places_[b].size;
    };
    if (!context_.fractional && order.size() == 2) {
      if (larger(order[1], order[0])) std::swap(order[0], order[1]);
    } else if (!context_.fractional && order.size() > 2) {
      std::stable_sort(order.begin(), order.end(), larger);
    }
    for (const std::uint32_t b : order) {
      OpenNode<Count> child;
      child.node = parent.first_child + b;
      child.begin = places_[b].begin;
      child.end = places_[b].begin + places_[b].size;
      child.n_rows = places_[b].n_rows;
      child.depth = open.depth + 1;
      if (todo_of(open, b) != Todo::Grow) {
        const std::int32_t given = context_.given->child(open.given, b);
        child.given = given < 0 ? kStopped : given;
      }
      child.codes = open.codes;
      child.path = mix(open.path, b);
      child.closed = closed;
      child.byte_counts = byte_counts_.inheritance(b, open.byte_counts);
      pending.push_back(std::move(child));
    }
    byte_counts_.settle(open.byte_counts);
  }

  // Rows are renumbered only where nothing but entries and codes refers to them.
  bool worth_packing(const OpenNode<Count>& open) const {
    return params_.columns_per_node > 0 && statistics_.in_entry() && !context_.fractional &&
           params_.missing != Missing::Surrogate && !weight_of_ &&
           RowPacks::worth(*open.codes, open.size());
  }

  void move_weights(const OpenNode<Count>& open) {
    std::vector<Count>& weights = scratch_[0].weights;
    std::vector<std::uint32_t> next;
    std::uint32_t end = 0;
    for (const Place& place : places_) {
      next.push_back(place.begin - open.begin);
      if (place.kept) end = std::max(end, place.begin - open.begin + place.size);
    }
    weights.resize(std::max<std::size_t>(end, open.size()));
    for (std::uint32_t i = open.begin; i < open.end; ++i) {
      const std::uint32_t row = table_.row(rows_->entries[i]);
      const std::uint32_t branch = router_.branch_of_row(row);
      if (branch == kEveryBranch) {
        for (const std::uint32_t b : router_.shared)
          if (places_[b].kept)
            weights[next[b]++] = router_.share(static_cast<Weight>(rows_->weights[i]), b);
      } else if (places_[branch].kept) {
        weights[next[branch]++] = rows_->weights[i];
      }
    }
    if (rows_->weights.size() < open.begin + end) rows_->weights.resize(open.begin + end);
    std::copy_n(weights.begin(), end, rows_->weights.begin() + open.begin);
  }

  // ------------------------------------------------------------ housekeeping

  NodeView<S> view_of(const OpenNode<Count>& open) const {
    NodeView<S> view{table_,     statistics_, node_measure_, *rows_,
                     open.begin, open.size(), *open.codes,   counts_.data(),
                     total_,     weight_of_,  impurity_};
    view.tables = open.byte_counts.data();
    view.times_of = context_.times_of;
    view.bounds = store_->bounds.empty() ? nullptr : &store_->bounds[open.node];
    view.path = open.path;
    return view;
  }
  void spread_weights(const OpenNode<Count>& open) {
    for (std::uint32_t i = open.begin; i < open.end; ++i)
      weight_of_row_[table_.row(rows_->entries[i])] = static_cast<Weight>(rows_->weights[i]);
    weight_of_ = weight_of_row_.data();
  }
  // Looks up from work now and then, to see whether the caller wants it stopped.
  void pause_for(std::uint32_t n_rows) {
    const std::size_t width = params_.columns_per_node ? columns_.size() + 1 : columns_.size();
    worked_ += static_cast<std::uint64_t>(n_rows + 64) * width;
    if (worked_ < kPause) return;
    worked_ = 0;
    if (polls_) watch_.poll();
    watch_.check();
  }
  void set_aside(OpenNode<Count>&& open, std::vector<Task<Count>>& aside) {
    auto nodes = std::make_unique<GrownNodes<Count>>();
    GrownNode& node = store_->nodes[open.node];
    store_->sums.read(open.node, counts_);
    nodes->add(counts_, node.n_rows, node.label);
    if (!store_->bounds.empty()) nodes->bounds.push_back(store_->bounds[open.node]);
    node.subtree = static_cast<std::int32_t>(store_->subtrees.size());
    Task<Count> task;
    task.store = nodes.get();
    store_->subtrees.push_back(std::move(nodes));
    task.root = std::move(open);
    task.root.node = 0;
    if (context_.fractional) task.own_rows = copy_rows(task.root);
    aside.push_back(std::move(task));
  }
  std::unique_ptr<Rows<Count>> copy_rows(OpenNode<Count>& open) const {
    const auto slice = [&](const auto& from) {
      return std::decay_t<decltype(from)>(from.begin() + open.begin, from.begin() + open.end);
    };
    auto rows = std::make_unique<Rows<Count>>();
    rows->entries = slice(rows_->entries);
    rows->weights = slice(rows_->weights);
    for (const auto& list : rows_->sorted) rows->sorted.push_back(slice(list));
    open.end = open.size();
    open.begin = 0;
    return rows;
  }

  static constexpr std::uint64_t kPause = 1 << 20;

  const Context<S>& context_;
  const TrainingTable& table_;
  const S& statistics_;
  const Params& params_;
  const MeasureOf<Count>& measure_;
  MeasureOf<Count> node_measure_;  // relative to the node's own impurity, where that is needed
  Rows<Count>* rows_ = nullptr;
  RowPacks packs_;
  GrownNodes<Count>* store_ = nullptr;
  Watch& watch_;
  Team* team_;
  const bool polls_;
  std::uint64_t worked_ = 0;

  // Of the node being split.
  std::vector<MoveScratch<Count>> scratch_;
  std::vector<Candidate> candidates_;  // of `columns_`
  std::vector<int> columns_;           // looked at, ascending
  Shuffle shuffle_;
  std::vector<std::uint64_t> drawn_;  // a bit for every column
  Finders<S> finders_;
  std::vector<Count> counts_;
  Count total_ = 0;
  double impurity_ = 0;
  Router<S> router_;
  std::vector<std::uint32_t> order_;
  std::vector<Place> places_;
  ByteCounts<S> byte_counts_;
  std::vector<Weight> weight_of_row_;
  const Weight* weight_of_ = nullptr;
};

}  // namespace plaintree

#include "grow/follow.h"
