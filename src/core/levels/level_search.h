// Steps 2 to 4: the best split of every column of a level's nodes, a group of nodes after the
// other.
//
//   count    the rows of every node and column by bucket
//   refine   open buckets that have too many rows, by code
//   look     at the rows of open buckets, one by one
// Categories are done when they are counted. What a column offers is in the node's slot. Fine
// buckets take much memory, so as many nodes as have room are refined and looked into, then others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "levels/columns_of_node.h"
#include "levels/growth.h"
#include "levels/number_search.h"
#include "levels/slot.h"
#include "search/general.h"

namespace plaintree {

inline constexpr std::uint32_t kFewBuckets = 64;  // a node has so many in a column, if its rows do
// More cells in a column of the tables cost more to count and to search than the looks they save.
inline constexpr std::uint64_t kManyCells = 1u << 15;
inline constexpr std::uint64_t kRowsOfBucket = 64;  // and so many rows in a bucket
inline constexpr std::uint32_t kFewValues = 256;    // columns of so few values are counted by value
inline constexpr std::uint64_t kBytesOfRow = 128;   // that is looked at, with all copies

template <Statistics S>
class LevelSearch {
 public:
  using Count = typename S::Sum;
  static constexpr bool kClasses = SumsOf<Count>::kClasses;

  LevelSearch(Growth<S>& growth, ColumnsOfNode& columns) : g_(growth), columns_of_(columns) {}

  // All nodes of the level.
  void start() {
    waiting_.resize(g_.level.size());
    std::iota(waiting_.begin(), waiting_.end(), std::size_t(0));
  }
  // A node of the level once more, with other columns.
  void add(std::size_t at) { waiting_.push_back(at); }
  bool has_nodes() const { return !waiting_.empty() || !slots_.empty(); }
  // Whether the nodes of the level do not fit one table.
  bool is_crowded() const {
    const std::uint64_t cells = g_.level.size() * g_.facts.columns().size() * kFewBuckets;
    return cells * g_.facts.bytes_of_cell() > g_.options.table_bytes;
  }

  // The next request; false: the group of nodes in the slots is done, or there is none.
  bool prepare(Request& request) {
    if (slots_.empty() && !prepare_count(request)) return false;
    if (stage_ == Stage::Count) return true;
    for (;;) {
      if (stage_ == Stage::Refine && prepare_refined(request)) return true;
      if (prepare_look(request)) return true;
      if (looked_to_ == slots_.size()) return false;
      stage_ = Stage::Refine;
    }
  }
  void take(const Request& request, const Reply& reply) {
    if (stage_ == Stage::Count) return take_counts(request, reply);
    if (stage_ == Stage::Refine) return take_refined(request, reply);
    take_lists(reply);
  }
  const char* stage() const {
    return stage_ == Stage::Count ? "count" : stage_ == Stage::Refine ? "refine" : "look";
  }

  // The nodes that are done, which are forgotten here.
  std::vector<Slot<Count>> take_slots() {
    looked_to_ = 0;
    return std::exchange(slots_, {});
  }

 private:
  enum class Stage { Count, Refine, Look };

  // Step 2.
  bool prepare_count(Request& request) {
    make_group();
    if (slots_.empty()) return false;  // none of them has columns left
    stage_ = Stage::Count;
    const std::uint64_t n_cells = cells_of_column();
    std::uint64_t rows_of_group = 0;
    for (const Slot<Count>& slot : slots_) rows_of_group += g_.level[slot.at].rows;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      const LevelNode& open = g_.level[slots_[s].at];
      request.slots.push_back(open.node);
      if (!kClasses) request.centres.push_back(centre_of(slots_[s].measure));
      const double share = static_cast<double>(open.rows) / static_cast<double>(rows_of_group);
      const auto n_buckets = static_cast<std::uint64_t>(static_cast<double>(n_cells) * share);
      for (const int column : slots_[s].columns) add_pair(request, s, column, open, n_buckets);
    }
    std::stable_sort(request.count.begin(), request.count.end(),
                     [](const CountPair& a, const CountPair& b) { return a.column < b.column; });
    for (CountPair& pair : request.count) {
      pair.first_cell = request.n_cells;
      request.n_cells += pair.n_buckets + 1;
    }
    return true;
  }

  // The next nodes that are counted together: as many as have a few buckets each in every column.
  void make_group() {
    slots_.clear();
    const std::uint64_t budget = cells_at_once();
    std::uint64_t n_cells = 0;
    std::size_t taken = 0;
    for (; taken < waiting_.size(); ++taken) {
      Slot<Count> slot;
      slot.at = waiting_[taken];
      LevelNode& open = g_.level[slot.at];
      slot.columns = columns_of_(open);
      if (slot.columns.empty()) continue;
      std::uint64_t own = 0;
      for (const int column : slot.columns) {
        const ColumnFacts& facts = g_.facts.columns()[column];
        own += facts.numeric ? std::min(kFewBuckets, facts.n_codes) + 1 : facts.n_codes + 1;
      }
      if (!slots_.empty() && n_cells + own > budget) break;
      if (own * g_.facts.bytes_of_cell() > 4 * g_.options.table_bytes)
        throw LimitTooSmall("a table of counts", own * g_.facts.bytes_of_cell());
      n_cells += own;
      slot.offers.resize(slot.columns.size());
      slot.measure = g_.measure_of_node(open);
      slots_.push_back(std::move(slot));
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  // Where columns are not compared, the buckets of all of them are kept, not of one or two.
  std::uint64_t cells_at_once() const {
    const std::uint64_t n_bytes =
        compares_columns(g_.params) ? g_.facts.bytes_of_cell() : bytes_of_bucket();
    return g_.options.table_bytes / n_bytes;
  }
  std::uint64_t bytes_of_bucket() const {
    return g_.facts.bytes_of_cell() + sizeof(Bucket) +
           static_cast<std::uint64_t>(g_.width) * sizeof(Count) + sizeof(std::uint64_t);
  }
  std::uint64_t cells_of_column() const {
    const std::uint64_t most =
        cells_at_once() / std::max<std::size_t>(1, g_.facts.columns().size());
    return std::clamp<std::uint64_t>(
        most, kFewBuckets, std::max<std::uint64_t>(kManyCells, 2 * kFewBuckets * slots_.size()));
  }

  void add_pair(Request& request, std::size_t slot, int column, const LevelNode& open,
                std::uint64_t n_buckets) {
    const ColumnFacts& facts = g_.facts.columns()[column];
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
    request.count.push_back(pair);
  }

  void take_counts(const Request& request, const Reply& reply) {
    const Cells cells(reply);
    std::vector<std::vector<const CountPair*>> pairs(slots_.size());
    for (const CountPair& pair : request.count) pairs[pair.slot].push_back(&pair);
    g_.team->run(static_cast<int>(slots_.size()),
                 [&](int s, int) { search(slots_[s], pairs[s], cells); });
    stage_ = Stage::Refine;
  }

  // Columns of a node from its counts: categories are done, numbers may have to be looked at.
  void search(Slot<Count>& slot, const std::vector<const CountPair*>& pairs, const Cells& cells) {
    LevelNode& open = g_.level[slot.at];
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const int column = pairs[p]->column;
      const ColumnFacts& facts = g_.facts.columns()[column];
      if (!facts.numeric) {
        slot.offers[p] = offer_of_categories(slot, *pairs[p], cells);
        raise(slot, slot.offers[p].candidate);
        continue;
      }
      OpenPair<Count> pair{p, column, PairCounts<Count>(*pairs[p], facts, cells, g_.width),
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
    return {slot.measure, g_.facts.columns()[pair.column], pair.column,
            monotonic_of(slot, pair.column), pair.counts};
  }
  Monotonic monotonic_of(const Slot<Count>& slot, int column) const {
    if (g_.params.monotonic.empty() || g_.params.monotonic[column] == 0) return {};
    return {g_.params.monotonic[column], &g_.nodes.bounds[g_.level[slot.at].node]};
  }
  void raise(Slot<Count>& slot, const Candidate& candidate) const {
    if (candidate.valid) slot.best = std::max(slot.best, candidate.score.value);
  }
  // The columns that may offer the best split stay open.
  void open_buckets(Slot<Count>& slot) {
    std::vector<OpenPair<Count>> left;
    for (OpenPair<Count>& pair : slot.open) {
      double best = slot.best;
      if (!compares_columns(g_.params)) best = own_best(slot, pair);
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
    return g_.params.threshold_by_gain ? candidate.score.gain : candidate.score.value;
  }

  Offer<Count> offer_of_categories(const Slot<Count>& slot, const CountPair& pair,
                                   const Cells& cells) const {
    const auto n_codes = static_cast<int>(pair.n_buckets);
    FoundSplit<Count> found;
    found.column = pair.column;
    found.values.clear(g_.width);
    std::vector<Count> sums(static_cast<std::size_t>(g_.width));
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
    found.values.missing_total = SumsOf<Count>::weight(found.values.missing.data(), g_.width);
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

  // Step 3, of as many nodes as have room; the others follow when these have been looked into.
  bool prepare_refined(Request& request) {
    std::uint64_t n_rows = 0;
    for (std::size_t s = looked_to_; s < slots_.size(); ++s)
      for (const OpenPair<Count>& pair : slots_[s].open) n_rows += pair.n_rows;
    std::size_t next = std::exchange(looked_to_, slots_.size());
    if (n_rows <= g_.options.list_rows || needs_every_value(g_.params)) return false;
    const std::uint64_t budget = g_.options.table_bytes / bytes_of_bucket();
    refined_slots_.clear();
    for (; next < slots_.size() && request.n_cells < budget; ++next) refine(request, next);
    looked_to_ = next;
    if (refined_slots_.empty()) return false;
    std::stable_sort(request.count.begin(), request.count.end(),
                     [](const CountPair& a, const CountPair& b) { return a.column < b.column; });
    return true;
  }
  // Adds the pairs of a node that have open buckets of several codes.
  void refine(Request& request, std::size_t s) {
    const auto slot = static_cast<std::int32_t>(refined_slots_.size());
    bool any = false;
    for (OpenPair<Count>& open : slots_[s].open) {
      if (std::none_of(open.counts.buckets.begin(), open.counts.buckets.end(),
                       PairCounts<Count>::can_be_refined))
        continue;
      CountPair pair = open.counts.pair;
      pair.slot = slot;
      pair.first_cell = request.n_cells;
      pair.refined_at = static_cast<std::uint32_t>(request.refined.size()) + 1;
      request.refined.resize(request.refined.size() + pair.n_buckets);
      std::int32_t n_cells = 0;
      for (const Bucket& bucket : open.counts.buckets) {
        if (!PairCounts<Count>::can_be_refined(bucket)) continue;
        const std::uint32_t at = (bucket.first_code - pair.first_code) >> pair.shift;
        request.refined[pair.refined_at - 1 + at] = {n_cells, 0};
        n_cells += static_cast<std::int32_t>(bucket.last_code - bucket.first_code + 1);
      }
      request.n_cells += static_cast<std::uint64_t>(n_cells);
      request.count.push_back(pair);
      any = true;
    }
    if (!any) return;
    refined_slots_.push_back(s);
    request.slots.push_back(g_.level[slots_[s].at].node);
    if (!kClasses) request.centres.push_back(centre_of(slots_[s].measure));
  }
  void take_refined(const Request& request, const Reply& reply) {
    const Cells cells(reply);
    g_.team->run(static_cast<int>(refined_slots_.size()), [&](int r, int) {
      Slot<Count>& slot = slots_[refined_slots_[r]];
      for (const CountPair& pair : request.count) {
        if (pair.slot != r) continue;
        for (OpenPair<Count>& open : slot.open) {
          if (open.column != pair.column) continue;
          open.counts.refine(pair, request.refined.data() + (pair.refined_at - 1),
                             g_.facts.columns()[pair.column], cells);
          open.shift = 0;
          raise(slot, search_of(slot, open).between_buckets());
        }
      }
      open_buckets(slot);
    });
    stage_ = Stage::Look;
  }

  // Step 4: pairs whose rows fit a list; those that need none are finished at once.
  bool prepare_look(Request& request) {
    stage_ = Stage::Look;
    looked_.clear();
    std::uint64_t n_rows = 0;
    for (std::size_t s = 0; s < looked_to_; ++s)
      for (std::size_t p = 0; p < slots_[s].open.size(); ++p) {
        const OpenPair<Count>& pair = slots_[s].open[p];
        if (pair.n_rows == 0) continue;
        if (pair.n_rows > std::max<std::uint64_t>(g_.options.list_rows, 1u << 16))
          throw LimitTooSmall("the values of a column at a node", pair.n_rows * kBytesOfRow);
        if (!looked_.empty() && n_rows + pair.n_rows > g_.options.list_rows) continue;
        n_rows += pair.n_rows;
        looked_.push_back({s, p});
      }
    if (looked_.empty()) {
      for (std::size_t s = 0; s < looked_to_; ++s) finish_pairs(slots_[s]);
      return false;
    }
    std::vector<std::int32_t> slot_of(slots_.size(), -1);
    for (const auto& [s, p] : looked_) {
      if (slot_of[s] < 0) {
        slot_of[s] = static_cast<std::int32_t>(request.slots.size());
        request.slots.push_back(g_.level[slots_[s].at].node);
      }
      add_look(request, slot_of[s], slots_[s].open[p]);
    }
    sort_looks(request);
    return true;
  }
  void add_look(Request& request, std::int32_t slot, const OpenPair<Count>& pair) {
    const std::vector<Bucket>& buckets = pair.counts.buckets;
    LookPair look;
    look.slot = slot;
    look.column = pair.column;
    look.first_code = pair.counts.pair.first_code;
    look.shift = pair.shift;
    look.n_buckets = ((last_code_of(pair) - look.first_code) >> look.shift) + 1;
    look.first_open = static_cast<std::uint32_t>(request.open.size());
    request.open.resize(request.open.size() + look.n_buckets, 0);
    for (const Bucket& bucket : buckets) {
      if (!bucket.is_open || bucket.is_pure) continue;
      const std::uint32_t first = (bucket.first_code - look.first_code) >> look.shift;
      const std::uint32_t last = (bucket.last_code - look.first_code) >> look.shift;
      for (std::uint32_t b = first; b <= last; ++b) request.open[look.first_open + b] = 1;
    }
    request.look.push_back(look);
  }
  std::uint32_t last_code_of(const OpenPair<Count>& pair) const {
    const CountPair& counted = pair.counts.pair;
    return std::min(counted.first_code + (counted.n_buckets << counted.shift),
                    g_.facts.columns()[pair.column].n_codes) -
           1;
  }
  void sort_looks(Request& request) {
    std::vector<std::size_t> order(looked_.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return request.look[a].column < request.look[b].column;
    });
    std::vector<LookPair> looks;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const std::size_t i : order) looks.push_back(request.look[i]), pairs.push_back(looked_[i]);
    request.look = std::move(looks);
    looked_ = std::move(pairs);
  }

  void take_lists(const Reply& reply) {
    const Lists& lists = reply.lists;
    std::vector<std::vector<OpenRow>> rows(looked_.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists.pairs[i] >= rows.size()) throw std::invalid_argument("a reply is damaged");
      rows[lists.pairs[i]].push_back({lists.keys[i], static_cast<std::uint32_t>(i)});
    }
    g_.team->run(static_cast<int>(looked_.size()), [&](int i, int) {
      sort_by_key(rows[i]);
      Slot<Count>& slot = slots_[looked_[i].first];
      finish_pair(slot, slot.open[looked_[i].second], lists, rows[i]);
    });
  }
  void finish_pair(Slot<Count>& slot, OpenPair<Count>& pair, const Lists& lists,
                   std::span<const OpenRow> rows) {
    slot.offers[pair.position] = offer_of(slot, search_of(slot, pair).best(lists, rows), 0);
    pair.n_rows = 0;
    pair.counts = {};
  }
  void finish_pairs(Slot<Count>& slot) {
    for (OpenPair<Count>& pair : slot.open)
      if (pair.n_rows == 0 && !pair.counts.buckets.empty()) finish_pair(slot, pair, {}, {});
  }

  static std::int64_t centre_of(const MeasureOf<Count>& measure) {
    if constexpr (kClasses)
      return 0;
    else
      return static_cast<std::int64_t>(measure.centre);
  }

  Growth<S>& g_;
  ColumnsOfNode& columns_of_;
  Stage stage_ = Stage::Count;
  std::vector<std::size_t> waiting_;  // positions in the level of nodes that are to be counted
  std::vector<Slot<Count>> slots_;
  std::vector<std::size_t> refined_slots_;
  std::size_t looked_to_ = 0;  // slots before it are refined as far as they have to be
  std::vector<std::pair<std::size_t, std::size_t>> looked_;  // slot, pair
};

}  // namespace plaintree
