// Growing a forest: trees are shared out to threads, each grown by one thread from its own sample
// of the rows; columns and their order are made once, for all of them.
#include "forest/forest.h"

#include <algorithm>
#include <memory>

#include "base/team.h"
#include "grow/finish.h"
#include "grow/least_weight.h"
#include "grow/subtree_grower.h"

namespace plaintree {

void Sampling::draw(std::uint32_t tree, std::uint32_t n, std::vector<std::uint32_t>& times) const {
  const std::uint64_t key = mix(mix(seed, 1), tree);
  times.assign(n, how == How::AllRows ? 1 : 0);
  if (how == How::WithReplacement) draw_with_replacement(key, n_draws, times);
  if (how == How::WithoutReplacement) draw_without_replacement(key, n_draws, times);
}

namespace {

// One tree's sample of the table.
template <class Count>
struct Sample {
  Rows<Count> rows;
  std::vector<std::int64_t> weights;  // by row; empty: as often as the entries say
  std::vector<std::uint32_t> times;   // by row: how often it was drawn, where rows have weights

  // Empties the buffers and keeps their memory.
  void clear() {
    rows.entries.clear();
    rows.weights.clear();
    rows.sorted.clear();
    weights.clear();
    times.clear();
  }
};

// Entries that say how often their rows were drawn. Whether a row was drawn cannot be foreseen, so
// every row's entry is written, and the next one over it if it was not. A row drawn more often than
// an entry can say gets several.
void fill_repeated(const TrainingTable& table, const std::vector<std::uint32_t>& times,
                   std::vector<Entry>& entries) {
  const std::uint32_t most = 1u << table.repeat_bits;
  std::size_t n_entries = 0;
  for (const std::uint32_t drawn : times) n_entries += (drawn + most - 1) >> table.repeat_bits;
  entries.resize(n_entries + 1);
  Entry* to = entries.data();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Entry entry = table.entries[i];
    std::uint32_t left = times[i];
    for (; left > most; left -= most) *to++ = entry | (most - 1) << table.class_bits;
    *to = entry | (left - 1) << table.class_bits;
    to += left > 0;
  }
  entries.resize(n_entries);
}

// Entries of the rows drawn.
template <class Count>
void fill_entries(const TrainingTable& table, const std::vector<std::uint32_t>& times,
                  bool by_weight, Sample<Count>& sample) {
  if (by_weight) {
    sample.weights.resize(table.n_rows, 0);
    sample.times.resize(table.n_rows, 0);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == 0) continue;
      const std::uint32_t row = table.row(table.entries[i]);
      sample.weights[row] = times[i] * (table.weights.empty() ? 1 : table.weights[row]);
      sample.times[row] = times[i];
      sample.rows.entries.push_back(table.entries[i]);
    }
  } else {
    fill_repeated(table, times, sample.rows.entries);
  }
}

// The sorted lists of the rows drawn, where the table keeps lists.
template <class Count>
void fill_lists(const TrainingTable& table, Sample<Count>& sample) {
  if (table.sorted.empty()) return;
  std::vector<std::vector<Entry>> several;  // of rows with more than one entry: all but the first
  constexpr Entry kNotDrawn = 0xFFFFFFFFu;
  std::vector<Entry> first(table.n_rows, kNotDrawn);
  std::vector<std::pair<std::uint32_t, Entry>> others;
  for (const Entry entry : sample.rows.entries) {
    Entry& own = first[table.row(entry)];
    if (own == kNotDrawn)
      own = entry;
    else
      others.emplace_back(table.row(entry), entry);
  }
  for (const std::vector<Item>& list : table.sorted) {
    std::vector<Item>& items = sample.rows.sorted.emplace_back();
    items.reserve(sample.rows.entries.size());
    for (const Item& item : list) {
      const std::uint32_t row = table.row(item.entry);
      if (first[row] == kNotDrawn) continue;
      items.push_back({first[row], item.rank});
      if (others.empty()) continue;
      auto other = std::lower_bound(others.begin(), others.end(), std::pair{row, Entry(0)});
      for (; other != others.end() && other->first == row; ++other)
        items.push_back({other->second, item.rank});
    }
  }
}

template <Statistics S>
class ForestGrower {
 public:
  using Count = typename S::Sum;

  // `by_weight`: samples have weights by row, rather than entries that say how often.
  ForestGrower(const TrainingTable& table, const Params& params, const ForestOptions& options,
               bool by_weight)
      : table_(table),
        params_(params),
        options_(options),
        by_weight_(by_weight),
        x_log_x_(needs_logarithms(params.criterion) && std::is_same_v<S, RowCounts>
                     ? table.entries.size()
                     : 0),
        measure_(measure_of<S>(table, params, x_log_x_)),
        fractional_(table.has_gaps() && params.missing == Missing::Fractional) {}

  // The first trees show how large the others will be, before memory for all is allocated.
  std::vector<PackedTree> grow(Team& team, std::atomic<std::uint32_t>& n_done) {
    std::vector<PackedTree> trees;
    std::vector<std::unique_ptr<Scratch>> scratch(team.size());
    const auto grow_up_to = [&](std::uint32_t n_trees) {
      const auto begin = static_cast<std::uint32_t>(trees.size());
      trees.resize(n_trees);
      team.run(static_cast<int>(n_trees - begin), [&](int i, int thread) {
        auto& own = scratch[thread];
        if (!own) own = std::make_unique<Scratch>(*this, team.watch(), thread == 0);
        trees[begin + i] = grow_tree(options_.first_tree + begin + i, *own);
        ++n_done;
      });
    };
    grow_up_to(std::min<std::uint32_t>(options_.n_trees, team.size()));
    refuse_too_large(static_cast<double>(trees[0].n_bytes()) * options_.n_trees);
    grow_up_to(options_.n_trees);
    return trees;
  }

  void refuse_too_large(double n_bytes) const {
    if (options_.most_bytes > 0 && n_bytes > static_cast<double>(options_.most_bytes))
      throw TooLarge(n_bytes);
  }

 private:
  // Buffers of one thread, reused from tree to tree.
  struct Scratch {
    Scratch(const ForestGrower& forest, Watch& watch, bool on_calling_thread)
        : context{forest.table_,      statistics_of<S>(forest.table_),
                  forest.params_,     forest.measure_,
                  forest.fractional_, nullptr,
                  empty_branches},
          grower(context, watch, nullptr, on_calling_thread) {}

    std::vector<std::uint32_t> times;  // by row: how often it was drawn
    Sample<Count> sample;
    GrownNodes<Count> nodes;
    EmptyBranches empty_branches;
    Context<S> context;
    SubtreeGrower<S> grower;
    PackingRoom room;
  };

  PackedTree grow_tree(std::uint32_t number, Scratch& scratch) const {
    auto& [times, sample, nodes, empty_branches, context, grower, room] = scratch;
    sample.clear();
    nodes.clear();
    empty_branches.clear();
    const auto n_rows = static_cast<std::uint32_t>(table_.entries.size());
    options_.sampling.draw(number, n_rows, times);
    fill_entries(table_, times, by_weight_, sample);
    fill_lists(table_, sample);
    context.weight_of = sample.weights.empty() ? nullptr : sample.weights.data();
    const bool counts_rows = params_.counts_rows() || params_.min_split_rows > 0;
    context.times_of = counts_rows && !sample.times.empty() ? sample.times.data() : nullptr;
    const std::uint64_t path = path_of_root(options_.sampling.seed, number);
    OpenNode<Count> root = make_root(context, sample.rows, nodes, path);
    if (!SumsOf<Count>::kClasses || may_split_root(context, nodes))
      grower.grow(sample.rows, nodes, std::move(root));
    if constexpr (std::is_same_v<S, RowCounts>)
      if (packs_directly()) return pack_thresholds(nodes, measure_, room);
    return PackedTree::pack(finish(nodes, measure_), table_.n_classes, params_.criterion,
                            options_.any_node_answers);
  }
  bool packs_directly() const {
    const bool numeric = std::all_of(table_.columns.begin(), table_.columns.end(),
                                     [](const Column& c) { return c.numeric; });
    return numeric && !fractional_ && !options_.any_node_answers && params_.monotonic.empty() &&
           (params_.missing == Missing::MostCommon ||
            params_.missing == Missing::MostCommonInClass);
  }

  const TrainingTable& table_;
  const Params& params_;
  const ForestOptions& options_;
  const bool by_weight_;
  const XLogX x_log_x_;
  const MeasureOf<Count> measure_;
  const bool fractional_;
};

template <Statistics S>
std::vector<PackedTree> grow_by(const TrainingTable& table, const Params& chosen,
                                const ForestOptions& options, bool by_weight, Team& team,
                                std::atomic<std::uint32_t>& n_done) {
  const Params params = with_least_weight(chosen, table);
  ForestGrower<S> grower(table, params, options, by_weight);
  grower.refuse_too_large(static_cast<double>(sizeof(PackedTree)) * options.n_trees);
  return grower.grow(team, n_done);
}

}  // namespace

std::vector<PackedTree> grow_forest(const Examples& examples, const Params& params,
                                    const ForestOptions& options) {
  std::atomic<std::uint32_t> n_done{0};
  Watch watch([&] { return options.interrupted && options.interrupted(n_done); });
  Team team(options.n_threads, watch);
  const bool repeats = options.sampling.how == Sampling::How::WithReplacement;
  const std::size_t n_draws = repeats ? options.sampling.n_draws : 0;
  const TrainingTable table = make_training_table(examples, params, n_draws, team);
  const bool whole = table.weights.empty() && (!repeats || table.repeat_bits > 0);
  const auto grow = table.has_targets() ? grow_by<TargetSums>
                    : whole             ? grow_by<RowCounts>
                                        : grow_by<WeightSums>;
  std::vector<PackedTree> trees = grow(table, params, options, !whole, team, n_done);
  // The progress callback is called once more when all trees are grown, however fast they were.
  if (options.interrupted && options.interrupted(n_done)) throw Interrupted();
  return trees;
}

}  // namespace plaintree
