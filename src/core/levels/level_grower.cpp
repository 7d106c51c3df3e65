#include "levels/level_grower.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random.h"
#include "base/team.h"
#include "blocks/request.h"
#include "grow/empty_branches.h"
#include "grow/finish.h"
#include "levels/branches.h"
#include "levels/grow_rows.h"
#include "levels/level_facts.h"
#include "levels/level_nodes.h"
#include "levels/number_search.h"
#include "search/choice.h"
#include "search/closed_columns.h"
#include "search/general.h"
#include "stats/chi_square.h"
#include "stats/selection.h"
#include "stats/weight_units.h"
#include "tree/prediction.h"

namespace plaintree {
namespace {

constexpr std::uint32_t kFewBuckets = 64;  // a node has so many in every column, if its rows do
// More cells in a column of the tables cost more to count and to search than the looks they save.
constexpr std::uint64_t kManyCells = 1u << 15;
constexpr std::uint64_t kRowsOfBucket = 64;  // and so many rows in a bucket
constexpr std::uint32_t kFewValues = 256;    // columns of so few values are counted by value
constexpr int kFewLevels = 10;               // so many are counted rather than grown in memory

// The split that a column offers to a node.
template <class Count>
struct Offer {
  Candidate candidate;
  std::uint32_t low_code = 0, high_code = 0;
  Branches<Count> branches;
};

// A numeric column of a node whose best cut is not known yet.
template <class Count>
struct OpenPair {
  std::size_t position;  // of its column, among those of the node
  int column;
  PairCounts<Count> counts;
  std::uint32_t shift = 0;   // of the finest bucket
  std::uint64_t n_rows = 0;  // to be looked at
};

// A node that is worked on: what its columns offer.
template <class Count>
struct Slot {
  std::size_t at = 0;  // in the level
  std::vector<int> columns;
  std::vector<Offer<Count>> offers;  // by column
  std::vector<OpenPair<Count>> open;
  MeasureOf<Count> measure;
  double best = -kInfinity;  // the value of the best cut that is known
};

template <Statistics S>
class Grower : public LevelGrower {
 public:
  using Count = typename S::Sum;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  Grower(ByteSpan facts, const Params& params, const LevelOptions& options, ByteSpan checkpoint)
      : options_(options),
        facts_(TableFacts(facts), params, options),
        params_(facts_.params),
        x_log_x_(0),
        measure_(facts_.template measure<S>(x_log_x_)),
        width_(measure_.n_classes),
        shuffle_(static_cast<std::uint32_t>(facts_.columns().size())) {
    if (checkpoint.empty())
      make_root();
    else
      restore(checkpoint);
  }

  std::optional<Bytes> next() override {
    for (;;) {
      request_ = facts_.request(n_requests_);
      if (prepare()) break;
      if (phase_ == Phase::Done) return std::nullopt;
    }
    request_.plan = nodes_.plan;
    ++n_requests_;
    return request_.bytes();
  }

  void answer(ByteSpan bytes, const std::function<bool()>& interrupted) override {
    const Reply reply(bytes);
    if (reply.number != request_.number) throw std::invalid_argument("a reply to another request");
    Watch watch(interrupted);
    Team team(options_.n_threads, watch);
    team_ = &team;
    take(reply);
    team_ = nullptr;
  }

  LevelProgress progress() const override {
    LevelProgress p;
    p.level = level_number_;
    p.open_nodes = level_.size() + set_aside_.size();
    p.nodes = nodes_.nodes.size();
    p.requests = n_requests_;
    for (const LevelNode& node : set_aside_) p.rows_set_aside += node.rows;
    p.phase = name_of(phase_);
    return p;
  }

  Bytes state() const override { return checkpoint_; }

  TreeArrays finish() override {
    GrownNodes<Count> grown = nodes_.grown();
    TreeArrays tree = plaintree::finish(grown, measure_);
    for (std::size_t i = 0; i < tree.threshold.size(); ++i) {
      const auto at = thresholds_.find({tree.attribute[i], tree.threshold[i]});
      if (at != thresholds_.end()) tree.threshold[i] = at->second;
    }
    tree.n_values = facts_.n_values();
    return tree;
  }

 private:
  enum class Phase { Sums, Spread, Count, Refine, Look, Gather, Precede, Done };
  static const char* name_of(Phase phase) {
    constexpr const char* kNames[] = {"sums", "spread", "count",  "refine",
                                      "look", "gather", "values", "done"};
    return kNames[static_cast<int>(phase)];
  }

  // ------------------------------------------------------------ requests and replies

  // Makes the request of the phase; false: nothing is to be asked, and another phase began.
  bool prepare() {
    switch (phase_) {
      case Phase::Sums:
        return prepare_sums();
      case Phase::Spread:
        return prepare_spread();
      case Phase::Count:
        return prepare_count();
      case Phase::Refine:
        return prepare_refined();
      case Phase::Look:
        return prepare_look();
      case Phase::Gather:
        return prepare_gather();
      case Phase::Precede:
        return prepare_precede();
      case Phase::Done:
        return false;
    }
    return false;
  }
  void take(const Reply& reply) {
    switch (phase_) {
      case Phase::Sums:
        return take_sums(reply);
      case Phase::Spread:
        return take_spread(reply);
      case Phase::Count:
        return take_counts(reply);
      case Phase::Refine:
        return take_refined(reply);
      case Phase::Look:
        return take_lists(reply);
      case Phase::Gather:
        return take_rows(reply);
      case Phase::Precede:
        return take_preceding(reply);
      case Phase::Done:
        break;
    }
  }

  // ------------------------------------------------------------ the root, and levels

  void make_root() {
    nodes_.width = width_;
    const std::vector<Count> none(static_cast<std::size_t>(width_), 0);
    nodes_.add(none.data(), 0, 0);
    if (!params_.monotonic.empty()) nodes_.bounds.emplace_back();
    LevelNode root;
    root.path = facts_.path_of_root();
    root.closed = closed_at_root(params_, facts_.columns().size());
    for (const ColumnFacts& column : facts_.columns()) {
      root.first_code.push_back(0);
      root.last_code.push_back(std::max(column.n_codes, 1u) - 1);
    }
    root.needs_sums = !facts_.knows_root();
    if (!root.needs_sums) sum_up_root(root);
    level_.push_back(std::move(root));
  }

  void sum_up_root(LevelNode& root) {
    if constexpr (kClasses) {
      const std::vector<std::uint64_t>& rows = facts_.facts().rows_of_class;
      std::copy(rows.begin(), rows.end(), nodes_.sums.begin());
      root.rows = root.times = facts_.facts().n_rows;
      settle_root(root);
    }
  }
  void settle_root(const LevelNode& root) {
    const Count* sums = nodes_.sums_of(0);
    nodes_.nodes[0].n_rows = static_cast<std::uint32_t>(root.rows);
    nodes_.nodes[0].label = facts_.label(sums);
    root_weight_ = measure_.weight(facts_.weight(sums));
    facts_.set_many_valued(root_weight_);
  }

  bool settles_targets() const { return !kClasses; }

  // Step 1.
  bool prepare_sums() {
    asked_.clear();
    for (std::size_t i = 0; i < level_.size(); ++i)
      if (level_[i].needs_sums || settles_targets()) asked_.push_back(i);
    if (asked_.empty()) return begin(Phase::Spread);
    for (const std::size_t i : asked_) request_.slots.push_back(level_[i].node);
    request_.sums = true;
    return true;
  }
  void take_sums(const Reply& reply) {
    const Cells cells = Cells::of_sums(reply);
    for (std::size_t s = 0; s < asked_.size(); ++s) {
      LevelNode& open = level_[asked_[s]];
      GrownNode& node = nodes_.nodes[open.node];
      Count* sums = nodes_.sums_of(open.node);
      if (open.needs_sums) {
        cells.read_sums(s, sums);
        open.rows = cells.rows(s);
        open.times = facts_.counts_times() ? cells.times(s) : open.rows;
        node.n_rows = static_cast<std::uint32_t>(open.rows);
        node.label = label_of_branch(open.rows == 0, node.label, facts_.label(sums));
        open.needs_sums = false;
      }
      if (open.node == 0) settle_root(open);
      if (!kClasses) open_target(open, sums, reply.ranges[s]);
    }
    for (const std::int32_t node : unbounded_) bound_children(node);
    unbounded_.clear();
    begin(Phase::Spread);
  }

  // What the targets of a node have in common, from their sums and range; how they spread, later.
  void open_target(const LevelNode& open, const Count* sums, const TargetRange& range) {
    if constexpr (!kClasses) {
      if (nodes_.targets.size() <= static_cast<std::size_t>(open.node))
        nodes_.targets.resize(static_cast<std::size_t>(open.node) + 1);
      if (open.rows < 2 && open.node != 0) return;  // such nodes are not opened
      TargetFacts facts{measure_.mean(sums), 0, true};
      if (range.least < range.most) {
        facts.range = range.most - range.least;
        spreads_.push_back({open.node, SpreadParts(measure_, sums, range.least, range.most)});
      }
      nodes_.targets[open.node] = facts;
    }
  }

  bool prepare_spread() {
    if (spreads_.empty()) {
      choose_nodes();
      return false;
    }
    for (const auto& [node, parts] : spreads_) {
      request_.slots.push_back(node);
      request_.spreads.push_back({parts.centre, parts.rest, parts.mean, parts.bound, parts.total});
    }
    return true;
  }
  void take_spread(const Reply& reply) {
    if constexpr (!kClasses) {
      for (std::size_t s = 0; s < spreads_.size(); ++s) {
        TargetSpread spread = spreads_[s].parts.of(measure_);
        spread.sum().add(reply.spreads[s].whole, reply.spreads[s].parts);
        nodes_.targets[spreads_[s].node].impurity = spread.sum().value() / spreads_[s].parts.total;
      }
    }
    spreads_.clear();
    choose_nodes();
  }

  // Nodes of the level that are split, those that are grown in memory, and leaves.
  void choose_nodes() {
    std::vector<LevelNode> split;
    for (LevelNode& open : level_) {
      if (!may_be_split(open)) continue;
      if (is_set_aside(open))
        set_aside_.push_back(std::move(open));
      else
        split.push_back(std::move(open));
    }
    level_ = std::move(split);
    waiting_.resize(level_.size());
    std::iota(waiting_.begin(), waiting_.end(), std::size_t(0));
    begin(Phase::Count);
  }
  bool may_be_split(const LevelNode& open) {
    const Count* sums = nodes_.sums_of(open.node);
    const bool enough = open.depth != params_.max_depth && open.rows > 1 &&
                        open.times >= params_.min_split_rows &&
                        measure_.weight(facts_.weight(sums)) >= params_.min_split_weight;
    if constexpr (kClasses)
      return enough && !facts_.is_pure(sums);
    else
      return enough && nodes_.targets[open.node].impurity > 0;
  }
  bool is_set_aside(const LevelNode& open) const {
    if (open.rows > options_.gather_rows) return false;
    const bool near_limit = params_.max_depth >= 0 && params_.max_depth - open.depth <= kFewLevels;
    const bool crowded = level_.size() * kFewBuckets > cells_of_column();
    return !near_limit || crowded || open.rows <= kRowsOfBucket * kFewBuckets;
  }

  void end_level() {
    level_ = std::move(next_level_);
    next_level_.clear();
    ++level_number_;
    if (level_.empty()) {
      begin(Phase::Gather);
      return;
    }
    write_checkpoint();
    begin(Phase::Sums);
  }

  // ------------------------------------------------------------ step 2: count

  bool prepare_count() {
    if (waiting_.empty()) {
      end_level();
      return false;
    }
    make_group();
    if (slots_.empty()) return false;  // none of them has columns left
    const std::uint64_t n_cells = cells_of_column();
    std::uint64_t rows_of_group = 0;
    for (const Slot<Count>& slot : slots_) rows_of_group += level_[slot.at].rows;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      const LevelNode& open = level_[slots_[s].at];
      request_.slots.push_back(open.node);
      if (!kClasses) request_.centres.push_back(centre_of(slots_[s].measure));
      const double share = static_cast<double>(open.rows) / static_cast<double>(rows_of_group);
      const auto n_buckets = static_cast<std::uint64_t>(static_cast<double>(n_cells) * share);
      for (const int column : slots_[s].columns) add_pair(s, column, open, n_buckets);
    }
    std::stable_sort(request_.count.begin(), request_.count.end(),
                     [](const CountPair& a, const CountPair& b) { return a.column < b.column; });
    for (CountPair& pair : request_.count) {
      pair.first_cell = request_.n_cells;
      request_.n_cells += pair.n_buckets + 1;
    }
    return true;
  }

  // The next nodes that are counted together: as many as have a few buckets each in every column.
  void make_group() {
    slots_.clear();
    const std::uint64_t budget = options_.table_bytes / facts_.bytes_of_cell();
    std::uint64_t n_cells = 0;
    std::size_t taken = 0;
    for (; taken < waiting_.size(); ++taken) {
      Slot<Count> slot;
      slot.at = waiting_[taken];
      LevelNode& open = level_[slot.at];
      slot.columns = columns_of(open);
      if (slot.columns.empty()) continue;
      std::uint64_t own = 0;
      for (const int column : slot.columns) {
        const ColumnFacts& facts = facts_.columns()[column];
        own += facts.numeric ? std::min(kFewBuckets, facts.n_codes) + 1 : facts.n_codes + 1;
      }
      if (!slots_.empty() && n_cells + own > budget) break;
      if (own > 4 * budget) throw LimitTooSmall("a table of counts", own * facts_.bytes_of_cell());
      n_cells += own;
      slot.offers.resize(slot.columns.size());
      slot.measure = measure_of_node(open);
      slots_.push_back(std::move(slot));
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  std::uint64_t cells_of_column() const {
    const std::uint64_t most = options_.table_bytes / facts_.bytes_of_cell() /
                               std::max<std::size_t>(1, facts_.columns().size());
    return std::clamp<std::uint64_t>(
        most, kFewBuckets, std::max<std::uint64_t>(kManyCells, 2 * kFewBuckets * slots_.size()));
  }

  void add_pair(std::size_t slot, int column, const LevelNode& open, std::uint64_t n_buckets) {
    const ColumnFacts& facts = facts_.columns()[column];
    CountPair pair;
    pair.slot = static_cast<std::int32_t>(slot);
    pair.column = column;
    if (facts.numeric) {
      pair.first_code = open.first_code[column];
      const std::uint64_t range = open.last_code[column] - pair.first_code + 1;
      std::uint64_t most =
          std::min(std::max<std::uint64_t>(n_buckets, kFewBuckets), open.rows / kRowsOfBucket + 1);
      if (facts.is_tracked()) most = std::max<std::uint64_t>(most, kFewValues);
      while (((range - 1) >> pair.shift) + 1 > most) ++pair.shift;
      pair.n_buckets = static_cast<std::uint32_t>(((range - 1) >> pair.shift) + 1);
    } else {
      pair.n_buckets = facts.n_codes;
    }
    request_.count.push_back(pair);
  }

  void take_counts(const Reply& reply) {
    const Cells cells(reply);
    std::vector<std::vector<const CountPair*>> pairs(slots_.size());
    for (const CountPair& pair : request_.count) pairs[pair.slot].push_back(&pair);
    team_->run(static_cast<int>(slots_.size()),
               [&](int s, int) { search(slots_[s], pairs[s], cells); });
    begin(Phase::Refine);
  }

  // Columns of a node from its counts: categories are done, numbers may have to be looked at.
  void search(Slot<Count>& slot, const std::vector<const CountPair*>& pairs, const Cells& cells) {
    LevelNode& open = level_[slot.at];
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const int column = pairs[p]->column;
      const ColumnFacts& facts = facts_.columns()[column];
      if (!facts.numeric) {
        slot.offers[p] = offer_of_categories(slot, *pairs[p], cells);
        raise(slot, slot.offers[p].candidate);
        continue;
      }
      OpenPair<Count> pair{p, column, PairCounts<Count>(*pairs[p], facts, cells, width_),
                           pairs[p]->shift, 0};
      if (pair.counts.buckets.empty()) continue;
      open.first_code[column] = pair.counts.buckets.front().first_code;
      open.last_code[column] =
          std::min(open.last_code[column], pair.counts.buckets.back().last_code);
      raise(slot, search_of(slot, pair).between_buckets());
      slot.open.push_back(std::move(pair));
    }
    open_buckets(slot);
  }
  NumberSearch<Count> search_of(const Slot<Count>& slot, const OpenPair<Count>& pair) const {
    return {slot.measure, facts_.columns()[pair.column], pair.column,
            monotonic_of(slot, pair.column), pair.counts};
  }
  Monotonic monotonic_of(const Slot<Count>& slot, int column) const {
    if (params_.monotonic.empty() || params_.monotonic[column] == 0) return {};
    return {params_.monotonic[column], &nodes_.bounds[level_[slot.at].node]};
  }
  void raise(Slot<Count>& slot, const Candidate& candidate) const {
    if (candidate.valid) slot.best = std::max(slot.best, candidate.score.value);
  }
  // The columns that may offer the best split stay open.
  void open_buckets(Slot<Count>& slot) {
    std::vector<OpenPair<Count>> left;
    for (OpenPair<Count>& pair : slot.open) {
      double best = slot.best;
      if (!compares_columns(params_)) best = own_best(slot, pair);
      pair.n_rows = search_of(slot, pair).open_buckets(pair.counts.buckets, best);
      const bool any = std::any_of(pair.counts.buckets.begin(), pair.counts.buckets.end(),
                                   [](const Bucket& bucket) { return bucket.is_open; });
      if (any) left.push_back(std::move(pair));
    }
    slot.open = std::move(left);
  }
  // By the value that cuts of the column are compared by.
  double own_best(const Slot<Count>& slot, const OpenPair<Count>& pair) const {
    const Candidate candidate = search_of(slot, pair).between_buckets();
    if (!candidate.valid) return -kInfinity;
    return params_.threshold_by_gain ? candidate.score.gain : candidate.score.value;
  }

  Offer<Count> offer_of_categories(const Slot<Count>& slot, const CountPair& pair,
                                   const Cells& cells) const {
    const auto n_codes = static_cast<int>(pair.n_buckets);
    FoundSplit<Count> found;
    found.column = pair.column;
    found.values.clear(width_);
    std::vector<Count> sums(static_cast<std::size_t>(width_));
    for (int code = 0; code < n_codes; ++code) {
      const std::uint64_t cell = pair.first_cell + static_cast<std::uint64_t>(code);
      if (cells.is_empty(cell)) continue;
      cells.read_sums(cell, sums.data());
      const std::size_t before = found.values.size();
      found.values.append(code, sums.data(), cells.times(cell));
      if (found.values.size() > before) found.rows.push_back(cells.rows(cell));
    }
    const std::uint64_t missing = pair.first_cell + pair.n_buckets;
    cells.read_sums(missing, found.values.missing.data());
    found.values.missing_total = SumsOf<Count>::weight(found.values.missing.data(), width_);
    for (int c = 0; c < cells.layout().n_times(); ++c)
      found.values.missing_rows[c] = cells.times(missing, c);
    found.missing_rows = MissingRows(cells, missing);
    if (found.values.size() == 0) return {};
    ValueCounts<Count> imputed = found.values;
    found.candidate = best_grouping_of(slot.measure, imputed, n_codes);
    return offer_of(slot, found, n_codes);
  }
  Offer<Count> offer_of(const Slot<Count>& slot, const FoundSplit<Count>& found,
                        std::int32_t n_codes) const {
    Offer<Count> offer{found.candidate, found.low_code, found.high_code, {}};
    if (offer.candidate.valid)
      offer.branches = Branching<Count>(slot.measure, found, n_codes).find();
    return offer;
  }

  // ------------------------------------------------------------ step 3: refine

  bool prepare_refined() {
    std::uint64_t n_rows = 0;
    for (const Slot<Count>& slot : slots_)
      for (const OpenPair<Count>& pair : slot.open) n_rows += pair.n_rows;
    if (n_rows <= options_.list_rows || is_refined_) return begin(Phase::Look);
    const std::uint64_t budget = options_.table_bytes / facts_.bytes_of_cell();
    refined_slots_.clear();
    for (; next_refined_ < slots_.size(); ++next_refined_) {
      if (!refined_slots_.empty() && request_.n_cells >= budget) break;
      refine(next_refined_);
    }
    if (refined_slots_.empty()) {
      is_refined_ = true;
      return begin(Phase::Look);
    }
    std::stable_sort(request_.count.begin(), request_.count.end(),
                     [](const CountPair& a, const CountPair& b) { return a.column < b.column; });
    return true;
  }
  // Adds the pairs of a node that have open buckets of several codes.
  void refine(std::size_t s) {
    const auto slot = static_cast<std::int32_t>(refined_slots_.size());
    bool any = false;
    for (OpenPair<Count>& open : slots_[s].open) {
      if (std::none_of(open.counts.buckets.begin(), open.counts.buckets.end(),
                       PairCounts<Count>::can_be_refined))
        continue;
      CountPair pair = open.counts.pair;
      pair.slot = slot;
      pair.first_cell = request_.n_cells;
      pair.refined_at = static_cast<std::uint32_t>(request_.refined.size()) + 1;
      request_.refined.resize(request_.refined.size() + pair.n_buckets);
      std::int32_t n_cells = 0;
      for (const Bucket& bucket : open.counts.buckets) {
        if (!PairCounts<Count>::can_be_refined(bucket)) continue;
        const std::uint32_t at = (bucket.first_code - pair.first_code) >> pair.shift;
        request_.refined[pair.refined_at - 1 + at] = {n_cells, 0};
        n_cells += static_cast<std::int32_t>(bucket.last_code - bucket.first_code + 1);
      }
      request_.n_cells += static_cast<std::uint64_t>(n_cells);
      request_.count.push_back(pair);
      any = true;
    }
    if (!any) return;
    refined_slots_.push_back(s);
    request_.slots.push_back(level_[slots_[s].at].node);
    if (!kClasses) request_.centres.push_back(centre_of(slots_[s].measure));
  }
  void take_refined(const Reply& reply) {
    const Cells cells(reply);
    team_->run(static_cast<int>(refined_slots_.size()), [&](int r, int) {
      Slot<Count>& slot = slots_[refined_slots_[r]];
      for (const CountPair& pair : request_.count) {
        if (pair.slot != r) continue;
        for (OpenPair<Count>& open : slot.open) {
          if (open.column != pair.column) continue;
          open.counts.refine(pair, request_.refined.data() + (pair.refined_at - 1),
                             facts_.columns()[pair.column], cells);
          open.shift = 0;
          raise(slot, search_of(slot, open).between_buckets());
        }
      }
      open_buckets(slot);
    });
    begin(Phase::Refine);
  }

  // ------------------------------------------------------------ step 4: look

  // Pairs whose rows fit a list; those that need none are finished at once.
  bool prepare_look() {
    looked_.clear();
    std::uint64_t n_rows = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s)
      for (std::size_t p = 0; p < slots_[s].open.size(); ++p) {
        const OpenPair<Count>& pair = slots_[s].open[p];
        if (pair.n_rows == 0) continue;
        if (pair.n_rows > 4 * std::max<std::uint64_t>(options_.list_rows, 1u << 16))
          throw LimitTooSmall("the values of a column at a node", pair.n_rows * 40);
        if (!looked_.empty() && n_rows + pair.n_rows > options_.list_rows) continue;
        n_rows += pair.n_rows;
        looked_.push_back({s, p});
      }
    if (looked_.empty()) {
      finish_pairs({}, {}, [](const OpenPair<Count>& pair) { return pair.n_rows == 0; });
      decide();
      return false;
    }
    std::vector<std::int32_t> slot_of(slots_.size(), -1);
    for (const auto& [s, p] : looked_) {
      if (slot_of[s] < 0) {
        slot_of[s] = static_cast<std::int32_t>(request_.slots.size());
        request_.slots.push_back(level_[slots_[s].at].node);
      }
      add_look(slot_of[s], slots_[s].open[p]);
    }
    sort_looks();
    return true;
  }
  void add_look(std::int32_t slot, const OpenPair<Count>& pair) {
    const std::vector<Bucket>& buckets = pair.counts.buckets;
    LookPair look;
    look.slot = slot;
    look.column = pair.column;
    look.first_code = pair.counts.pair.first_code;
    look.shift = pair.shift;
    look.n_buckets = ((last_code_of(pair) - look.first_code) >> look.shift) + 1;
    look.first_open = static_cast<std::uint32_t>(request_.open.size());
    request_.open.resize(request_.open.size() + look.n_buckets, 0);
    for (const Bucket& bucket : buckets) {
      if (!bucket.is_open || bucket.is_pure) continue;
      const std::uint32_t first = (bucket.first_code - look.first_code) >> look.shift;
      const std::uint32_t last = (bucket.last_code - look.first_code) >> look.shift;
      for (std::uint32_t b = first; b <= last; ++b) request_.open[look.first_open + b] = 1;
    }
    request_.look.push_back(look);
  }
  std::uint32_t last_code_of(const OpenPair<Count>& pair) const {
    const CountPair& counted = pair.counts.pair;
    return std::min(counted.first_code + (counted.n_buckets << counted.shift),
                    facts_.columns()[pair.column].n_codes) -
           1;
  }
  void sort_looks() {
    std::vector<std::size_t> order(looked_.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return request_.look[a].column < request_.look[b].column;
    });
    std::vector<LookPair> looks;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const std::size_t i : order)
      looks.push_back(request_.look[i]), pairs.push_back(looked_[i]);
    request_.look = std::move(looks);
    looked_ = std::move(pairs);
  }

  void take_lists(const Reply& reply) {
    const Lists& lists = reply.lists;
    std::vector<std::vector<OpenRow>> rows(looked_.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists.pairs[i] >= rows.size()) throw std::invalid_argument("a reply is damaged");
      rows[lists.pairs[i]].push_back({lists.keys[i], static_cast<std::uint32_t>(i)});
    }
    team_->run(static_cast<int>(looked_.size()), [&](int i, int) {
      std::sort(rows[i].begin(), rows[i].end(),
                [](const OpenRow& a, const OpenRow& b) { return a.key < b.key; });
      Slot<Count>& slot = slots_[looked_[i].first];
      finish_pair(slot, slot.open[looked_[i].second], lists, rows[i]);
    });
    begin(Phase::Look);
  }
  void finish_pair(Slot<Count>& slot, OpenPair<Count>& pair, const Lists& lists,
                   std::span<const OpenRow> rows) {
    slot.offers[pair.position] = offer_of(slot, search_of(slot, pair).best(lists, rows), 0);
    pair.n_rows = 0;
    pair.counts = {};
  }
  template <class Which>
  void finish_pairs(const Lists& lists, std::span<const OpenRow> rows, Which which) {
    for (Slot<Count>& slot : slots_)
      for (OpenPair<Count>& pair : slot.open)
        if (which(pair) && !pair.counts.buckets.empty()) finish_pair(slot, pair, lists, rows);
  }

  // ------------------------------------------------------------ step 5: choose

  void decide() {
    for (Slot<Count>& slot : slots_) decide(slot);
    slots_.clear();
    is_refined_ = false;
    next_refined_ = 0;
    begin(Phase::Count);
  }
  void decide(Slot<Count>& slot) {
    LevelNode& open = level_[slot.at];
    std::vector<Candidate> candidates;
    for (const Offer<Count>& offer : slot.offers) candidates.push_back(offer.candidate);
    const Count* sums = nodes_.sums_of(open.node);
    const double fraction = measure_.weight(facts_.weight(sums)) / root_weight_;
    const Choice choice =
        choose(candidates, slot.columns, facts_.table, params_, fraction, scale_of(open));
    if (choice.position < 0) {
      ++open.rounds;  // other columns may be drawn
      if (!columns_of(open).empty()) waiting_.push_back(slot.at);
      return;
    }
    const int column = slot.columns[choice.position];
    const Offer<Count>& offer = slot.offers[choice.position];
    if (!is_significant(slot, column, offer)) return;
    write_split(open, choice, column, candidates[choice.position]);
    make_children(open, column, offer);
  }

  double scale_of(const LevelNode& open) const {
    if constexpr (kClasses)
      return 1.0;
    else
      return nodes_.targets[open.node].impurity;
  }
  MeasureOf<Count> measure_of_node(const LevelNode& open) {
    if constexpr (kClasses)
      return measure_;
    else
      return measure_.of_node(nodes_.sums_of(open.node), nodes_.targets[open.node].impurity,
                              nodes_.targets[open.node].range);
  }
  static std::int64_t centre_of(const MeasureOf<Count>& measure) {
    if constexpr (kClasses)
      return 0;
    else
      return static_cast<std::int64_t>(measure.centre);
  }

  bool is_significant(const Slot<Count>& slot, int column, const Offer<Count>& offer) const {
    if (params_.significance >= 1 || !kClasses) return true;
    std::vector<double> table;
    for (const Count sum : offer.branches.sums) table.push_back(measure_.weight(sum));
    const Selection from{offer.candidate.kind, facts_.table.columns[column].n_codes,
                         static_cast<int>(slot.columns.size())};
    const double p = params_.adjusted_significance
                         ? adjusted_p(table, static_cast<std::size_t>(width_), from)
                         : chi_square_p(table, static_cast<std::size_t>(width_));
    return p <= params_.significance;
  }

  void write_split(const LevelNode& open, const Choice& choice, int column,
                   const Candidate& candidate) {
    GrownNode& node = nodes_.nodes[open.node];
    node.kind = candidate.kind;
    node.attribute = column;
    node.n_tied = choice.n_tied;
    node.score =
        std::fabs(candidate.score.value) < 1e-12 ? 0.0 : candidate.score.value * scale_of(open);
    if (candidate.kind == NodeKind::Threshold) {
      node.threshold = candidate.threshold;
      return;
    }
    if (candidate.kind == NodeKind::Multiway) return;
    node.levels = static_cast<std::int32_t>(nodes_.levels.size());
    nodes_.levels.push_back(candidate.kind == NodeKind::Equals
                                ? std::vector<std::int32_t>{candidate.code}
                                : candidate.subset);
  }

  void make_children(const LevelNode& open, int column, const Offer<Count>& offer) {
    const Branches<Count>& branches = offer.branches;
    const std::uint32_t n = branches.n_children();
    const auto first = static_cast<std::int32_t>(nodes_.nodes.size());
    const std::int32_t label = nodes_.nodes[open.node].label;
    {
      GrownNode& parent = nodes_.nodes[open.node];
      parent.first_child = static_cast<std::uint32_t>(first);
      parent.n_children = n;
      parent.missing_child = branches.missing_child;
    }
    BlockSplit split;
    split.node = open.node;
    split.column = column;
    split.first_child = first;
    split.n_branches = static_cast<std::int32_t>(branches.n_branches);
    split.low_code = offer.low_code;
    split.high_code = offer.high_code;
    split.threshold = offer.candidate.threshold;
    split.branches = branches.of_category;
    split.missing = branches.missing;
    split.shares = branches.shares;
    nodes_.plan.push_back(std::move(split));
    const auto n_empty = static_cast<std::size_t>(
        std::count(branches.rows.begin(), branches.rows.end(), std::uint64_t(0)));
    empty_branches_.add(n_empty, column);
    const Closed closed = closed_below(open.closed, params_, facts_.columns().size(), column,
                                       offer.candidate.kind == NodeKind::Multiway);
    for (std::uint32_t b = 0; b < n; ++b) {
      const Count* sums = branches.sums_of(b, width_);
      const bool empty = branches.rows[b] == 0;
      const std::int32_t node =
          nodes_.add(sums, branches.rows[b], label_of_branch(empty, label, facts_.label(sums)));
      if (empty) continue;
      LevelNode child;
      child.node = node;
      child.depth = open.depth + 1;
      child.path = mix(open.path, b);
      child.rows = branches.rows[b];
      child.times = facts_.counts_times() ? branches.times[b] : child.rows;
      child.needs_sums = branches.divides();
      child.closed = closed;
      if (!child.needs_sums && !may_ever_be_split(child)) continue;
      child.first_code = open.first_code;
      child.last_code = open.last_code;
      narrow(child, column, b, offer);
      next_level_.push_back(std::move(child));
    }
    if (nodes_.bounds.empty()) return;
    nodes_.bounds.resize(nodes_.nodes.size(), nodes_.bounds[open.node]);
    if (params_.monotonic[column] == 0) return;
    if (branches.divides())
      unbounded_.push_back(open.node);
    else
      bound_children(open.node);
  }
  bool may_ever_be_split(const LevelNode& child) {
    if (!kClasses) return child.rows > 1;
    return may_be_split(child);
  }
  // Missing rows that take the most common value are on both sides, but have no code.
  void narrow(LevelNode& child, int column, std::uint32_t branch, const Offer<Count>& offer) const {
    if (offer.candidate.kind != NodeKind::Threshold) return;
    if (branch == 0) child.last_code[column] = std::min(child.last_code[column], offer.low_code);
    if (branch == 1) child.first_code[column] = std::max(child.first_code[column], offer.high_code);
    if (child.first_code[column] > child.last_code[column])
      child.last_code[column] = child.first_code[column];
  }
  // What the children of a split on a monotonic column may predict, once their sums are known.
  void bound_children(std::int32_t node) {
    const auto first = static_cast<std::int32_t>(nodes_.nodes[node].first_child);
    const int sign = params_.monotonic[nodes_.nodes[node].attribute];
    const auto value = [&](std::int32_t child) {
      const Count* sums = nodes_.sums_of(child);
      return value_of(sums, facts_.weight(sums));
    };
    const Middle middle{value(first), value(first + 1)};
    const Bounds own = nodes_.bounds[node];
    nodes_.bounds[first + (sign < 0)] = own.below(middle);
    nodes_.bounds[first + (sign > 0)] = own.above(middle);
  }

  // ------------------------------------------------------------ columns of a node

  // The columns that are looked at in this round; none: there are no more.
  std::vector<int> columns_of(const LevelNode& open) {
    std::int32_t round = open.rounds;
    if (static_cast<std::size_t>(open.depth) < params_.first.size()) {
      const std::int32_t column = params_.first[static_cast<std::size_t>(open.depth)];
      const bool is_closed = open.closed && open.closed->columns[column];
      if (!is_closed && round-- == 0) return {column};
    }
    if (params_.columns_per_node == 0) return round == 0 ? open_columns(open) : std::vector<int>{};
    std::vector<int> columns;
    shuffle_.start(open.path);
    for (std::int32_t r = 0; r <= round; ++r) {
      columns.clear();
      if (shuffle_.empty()) return {};
      shuffle_.take(r == 0 ? params_.columns_per_node : 1, [&](std::uint32_t column) {
        const bool is_open = !open.closed || !open.closed->columns[column];
        if (is_open) columns.push_back(static_cast<int>(column));
        return is_open;
      });
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  }
  std::vector<int> open_columns(const LevelNode& open) const {
    std::vector<int> columns;
    for (int j = 0; j < static_cast<int>(facts_.columns().size()); ++j)
      if (!open.closed || !open.closed->columns[j]) columns.push_back(j);
    return columns;
  }

  // ------------------------------------------------------------ small nodes

  bool prepare_gather() {
    if (set_aside_.empty()) return begin(Phase::Precede);
    std::uint64_t n_rows = 0;
    n_gathered_ = 0;
    for (; n_gathered_ < set_aside_.size(); ++n_gathered_) {
      n_rows += set_aside_[n_gathered_].rows;
      if (n_gathered_ > 0 && n_rows > options_.gather_rows) break;
      request_.gather.push_back(set_aside_[n_gathered_].node);
    }
    return true;
  }
  void take_rows(const Reply& reply) {
    const auto end = set_aside_.begin() + static_cast<std::ptrdiff_t>(n_gathered_);
    RowsByNode rows(reply.rows, request_.gather);
    std::vector<std::unique_ptr<GrownNodes<Count>>> grown(n_gathered_);
    const RowGrower<S> grower(facts_, root_weight_);
    team_->run(static_cast<int>(n_gathered_), [&](int i, int) {
      const LevelNode& node = set_aside_[static_cast<std::size_t>(i)];
      const Bounds* bounds = nodes_.bounds.empty() ? nullptr : &nodes_.bounds[node.node];
      grown[i] = grower.grow(rows.of(static_cast<std::size_t>(i)), node, bounds, empty_branches_,
                             team_->watch());
    });
    for (std::size_t i = 0; i < n_gathered_; ++i) {
      nodes_.nodes[set_aside_[i].node].subtree = static_cast<std::int32_t>(nodes_.subtrees.size());
      nodes_.subtrees.push_back(std::move(grown[i]));
    }
    set_aside_.erase(set_aside_.begin(), end);
    begin(Phase::Gather);
  }

  // ------------------------------------------------------------ thresholds that are training
  // values

  bool prepare_precede() {
    if (!facts_.data_value_thresholds) return begin(Phase::Done);
    std::map<std::int32_t, std::vector<double>> numbers;
    const auto add = [&](const GrownNode& node) {
      if (node.n_children > 0 && node.kind == NodeKind::Threshold)
        numbers[node.attribute].push_back(node.threshold);
    };
    for (const GrownNode& node : nodes_.nodes) add(node);
    for (const auto& subtree : nodes_.subtrees)
      for (std::size_t i = 0; i < subtree->nodes.size(); ++i) add(subtree->nodes[i]);
    for (auto& [column, own] : numbers) {
      std::sort(own.begin(), own.end());
      own.erase(std::unique(own.begin(), own.end()), own.end());
      request_.precede.push_back({column, own});
    }
    if (numbers.empty()) return begin(Phase::Done);
    return true;
  }
  void take_preceding(const Reply& reply) {
    for (std::size_t p = 0; p < request_.precede.size(); ++p) {
      const Precede& own = request_.precede[p];
      double greatest = -kInfinity;
      for (std::size_t i = 0; i < own.numbers.size(); ++i) {
        greatest = std::max(greatest, reply.preceding[p][i]);
        thresholds_[{own.column, own.numbers[i]}] = greatest;
      }
    }
    begin(Phase::Done);
  }

  // ------------------------------------------------------------ checkpoints

  void write_checkpoint() {
    ByteWriter writer;
    writer.write(facts_.fingerprint());
    writer.write(level_number_);
    writer.write(root_weight_);
    writer.write(n_requests_);
    writer.write(unbounded_);
    nodes_.write(writer);
    writer.write(static_cast<std::uint64_t>(level_.size()));
    for (const LevelNode& node : level_) write_node(writer, node);
    writer.write(static_cast<std::uint64_t>(set_aside_.size()));
    for (const LevelNode& node : set_aside_) write_node(writer, node);
    checkpoint_ = writer.take();
  }
  void restore(ByteSpan checkpoint) {
    ByteReader reader(checkpoint);
    if (reader.template read<std::uint64_t>() != facts_.fingerprint())
      throw std::invalid_argument("a checkpoint of another table or of other parameters");
    reader.read(level_number_);
    reader.read(root_weight_);
    reader.read(n_requests_);
    reader.read(unbounded_);
    nodes_.width = width_;
    nodes_.read(reader);
    for (std::vector<LevelNode>* nodes : {&level_, &set_aside_}) {
      const auto n = reader.template read<std::uint64_t>();
      for (std::uint64_t i = 0; i < n; ++i) nodes->push_back(read_node(reader));
    }
    facts_.set_many_valued(root_weight_);
    checkpoint_.assign(checkpoint.begin(), checkpoint.end());
  }
  static void write_node(ByteWriter& writer, const LevelNode& node) {
    writer.write(node.node), writer.write(node.depth), writer.write(node.path);
    writer.write(node.rows), writer.write(node.times), writer.write(node.needs_sums);
    writer.write(node.first_code), writer.write(node.last_code);
    std::vector<std::uint8_t> closed;
    if (node.closed) closed.assign(node.closed->columns.begin(), node.closed->columns.end());
    writer.write(closed);
    writer.write(node.closed ? node.closed->groups : std::vector<std::int32_t>{});
  }
  static LevelNode read_node(ByteReader& reader) {
    LevelNode node;
    reader.read(node.node), reader.read(node.depth), reader.read(node.path);
    reader.read(node.rows), reader.read(node.times), reader.read(node.needs_sums);
    reader.read(node.first_code), reader.read(node.last_code);
    std::vector<std::uint8_t> columns;
    std::vector<std::int32_t> groups;
    reader.read(columns), reader.read(groups);
    if (columns.empty()) return node;
    auto closed = std::make_shared<ClosedColumns>();
    closed->columns.assign(columns.begin(), columns.end());
    closed->groups = groups;
    node.closed = closed;
    return node;
  }

  bool begin(Phase phase) {
    phase_ = phase;
    return false;
  }

  struct NodeSpread {
    std::int32_t node;
    SpreadParts parts;
  };

  const LevelOptions options_;
  LevelFacts facts_;
  const Params& params_;
  const XLogX x_log_x_;
  const MeasureOf<Count> measure_;
  const int width_;
  Shuffle shuffle_;
  EmptyBranches empty_branches_;
  Team* team_ = nullptr;
  LevelNodes<Count> nodes_;
  std::vector<LevelNode> level_, next_level_, set_aside_;
  int level_number_ = 0;
  double root_weight_ = 0;
  std::map<std::pair<std::int32_t, double>, double> thresholds_;
  std::vector<std::int32_t> unbounded_;  // nodes whose children are not bounded yet
  Bytes checkpoint_;

  // Of the request that is asked.
  Phase phase_ = Phase::Sums;
  Request request_;
  std::uint64_t n_requests_ = 0;
  std::vector<std::size_t> asked_;  // positions in the level
  std::vector<NodeSpread> spreads_;
  std::vector<std::size_t> waiting_;  // positions in the level of nodes that are to be counted
  std::vector<Slot<Count>> slots_;
  std::vector<std::size_t> refined_slots_;
  std::size_t next_refined_ = 0;
  bool is_refined_ = false;
  std::vector<std::pair<std::size_t, std::size_t>> looked_;  // slot, pair
  std::size_t n_gathered_ = 0;
};

}  // namespace

std::unique_ptr<LevelGrower> make_level_grower(ByteSpan facts, const Params& params,
                                               const LevelOptions& options, ByteSpan checkpoint) {
  if (TableFacts(facts).n_classes > 0)
    return std::make_unique<Grower<WeightSums>>(facts, params, options, checkpoint);
  return std::make_unique<Grower<TargetSums>>(facts, params, options, checkpoint);
}

}  // namespace plaintree
