#include "levels/level_grower.h"

#include "blocks/request.h"
#include "grow/finish.h"
#include "levels/checkpoint.h"
#include "levels/columns_of_node.h"
#include "levels/data_values.h"
#include "levels/growth.h"
#include "levels/level_search.h"
#include "levels/level_sums.h"
#include "levels/small_nodes.h"
#include "levels/splitting.h"

namespace plaintree {
namespace {

constexpr int kFewLevels = 10;  // so many are counted rather than grown in memory

template <Statistics S>
class Grower : public LevelGrower {
 public:
  using Count = typename S::Sum;

  Grower(ByteSpan facts, const Params& params, const LevelOptions& options, ByteSpan checkpoint)
      : growth_(facts, params, options),
        columns_of_(growth_.params, growth_.facts.columns().size()),
        sums_(growth_),
        search_(growth_, columns_of_),
        splitting_(growth_, columns_of_),
        small_(growth_),
        values_(growth_) {
    if (checkpoint.empty()) {
      growth_.make_root();
    } else {
      restore(growth_, n_requests_, checkpoint);
      checkpoint_.assign(checkpoint.begin(), checkpoint.end());
    }
  }

  std::optional<Bytes> next() override {
    for (;;) {
      request_ = growth_.facts.request(n_requests_);
      if (prepare()) break;
      if (phase_ == Phase::Done) return std::nullopt;
    }
    request_.plan = growth_.nodes.plan;
    ++n_requests_;
    return request_.bytes();
  }

  void answer(ByteSpan bytes, const std::function<bool()>& interrupted) override {
    const Reply reply(bytes);
    if (reply.number != request_.number) throw std::invalid_argument("a reply to another request");
    Watch watch(interrupted);
    Team team(growth_.options.n_threads, watch);
    growth_.team = &team;
    take(reply);
    growth_.team = nullptr;
  }

  LevelProgress progress() const override {
    LevelProgress p;
    p.level = growth_.level_number;
    p.open_nodes = growth_.level.size() + growth_.set_aside.size();
    p.nodes = growth_.nodes.nodes.size();
    p.requests = n_requests_;
    for (const LevelNode& node : growth_.set_aside) p.rows_set_aside += node.rows;
    p.phase = name_of_phase();
    return p;
  }

  Bytes state() const override { return checkpoint_; }

  TreeArrays finish() override {
    GrownNodes<Count> grown = growth_.nodes.grown();
    TreeArrays tree = plaintree::finish(grown, growth_.measure);
    values_.replace(tree);
    tree.n_values = growth_.facts.n_values();
    return tree;
  }

 private:
  enum class Phase { Sums, Spread, Search, Gather, Values, Done };
  const char* name_of_phase() const {
    constexpr const char* kNames[] = {"sums", "spread", "", "gather", "values", "done"};
    return phase_ == Phase::Search ? search_.stage() : kNames[static_cast<int>(phase_)];
  }

  // Makes the next request; false: another phase began, or nodes were split.
  bool prepare() {
    switch (phase_) {
      case Phase::Sums:
        return sums_.prepare(request_) || begin(Phase::Spread);
      case Phase::Spread:
        if (sums_.prepare_spread(request_)) return true;
        choose_nodes();
        return begin(Phase::Search);
      case Phase::Search:
        if (search_.prepare(request_)) return true;
        for (const Slot<Count>& slot : search_.take_slots())
          if (!splitting_.split(slot)) search_.add(slot.at);
        return search_.has_nodes() ? false : end_level();
      case Phase::Gather:
        return small_.prepare(request_) || begin(Phase::Values);
      case Phase::Values:
        return values_.prepare(request_) || begin(Phase::Done);
      case Phase::Done:
        break;
    }
    return false;
  }
  void take(const Reply& reply) {
    switch (phase_) {
      case Phase::Sums:
        sums_.take(reply);
        begin(Phase::Spread);
        return;
      case Phase::Spread:
        return sums_.take_spread(reply);
      case Phase::Search:
        return search_.take(request_, reply);
      case Phase::Gather:
        return small_.take(request_, reply);
      case Phase::Values:
        values_.take(request_, reply);
        begin(Phase::Done);
        return;
      case Phase::Done:
        return;
    }
  }

  // Nodes of the level that are split, those that are grown in memory, and leaves.
  void choose_nodes() {
    std::vector<LevelNode> split;
    const bool is_crowded = search_.is_crowded();
    for (LevelNode& open : growth_.level) {
      if (!growth_.may_be_split(open)) continue;
      (is_set_aside(open, is_crowded) ? growth_.set_aside : split).push_back(std::move(open));
    }
    growth_.level = std::move(split);
    search_.start();
  }
  // A level costs the same however many nodes it has, until they do not fit one table.
  bool is_set_aside(const LevelNode& open, bool is_crowded) const {
    if (open.rows > growth_.options.gather_rows) return false;
    if (growth_.options.gathers_early) return true;
    const int max_depth = growth_.params.max_depth;
    const bool near_limit = max_depth >= 0 && max_depth - open.depth <= kFewLevels;
    return !near_limit || is_crowded || open.rows <= kRowsOfBucket * kFewBuckets;
  }

  bool end_level() {
    growth_.level = std::move(growth_.next_level);
    growth_.next_level.clear();
    ++growth_.level_number;
    if (growth_.level.empty()) return begin(Phase::Gather);
    checkpoint_ = checkpoint_of(growth_, n_requests_);
    return begin(Phase::Sums);
  }
  bool begin(Phase phase) {
    phase_ = phase;
    return false;
  }

  Growth<S> growth_;
  ColumnsOfNode columns_of_;
  LevelSums<S> sums_;
  LevelSearch<S> search_;
  Splitting<S> splitting_;
  SmallNodes<S> small_;
  DataValues<S> values_;
  Phase phase_ = Phase::Sums;
  Request request_;
  std::uint64_t n_requests_ = 0;
  Bytes checkpoint_;
};

}  // namespace

std::unique_ptr<LevelGrower> make_level_grower(ByteSpan facts, const Params& params,
                                               const LevelOptions& options, ByteSpan checkpoint) {
  if (TableFacts(facts).n_classes > 0)
    return std::make_unique<Grower<WeightSums>>(facts, params, options, checkpoint);
  return std::make_unique<Grower<TargetSums>>(facts, params, options, checkpoint);
}

}  // namespace plaintree
