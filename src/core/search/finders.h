// The finders of a fit in order of preference, and the columns of a node shared out to them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "search/absolute_error.h"
#include "search/finder.h"
#include "search/general.h"
#include "search/gini/bucket_finder.h"
#include "search/gini/count_finder.h"
#include "search/gini/few_rows.h"
#include "search/gini/key_finder.h"
#include "search/gini/list_finder.h"
#include "search/random_finder.h"
#include "search/targets/few_targets.h"
#include "search/targets/target_lists.h"

namespace plaintree {

// All finders but the last one can be switched off by a bit of Params::finders, for benchmarks and
// tests. The tree is the same without them.
enum FinderBit : int {
  kFewRows = 1,
  kBuckets = 2,
  kKeys = 4,
  kCounts = 8,
  kLists = 16,
  kFewTargets = 32,
  kTargetLists = 64
};

template <Statistics S>
class Finders {
 public:
  using Sum = typename S::Sum;

  Finders(const TrainingTable& table, const MeasureOf<Sum>& measure, int n_threads)
      : table_(table), scratch_(n_threads) {
    if constexpr (std::is_same_v<S, RowCounts>)
      if (!measure.params->random_splits) add_fast(table, measure);
    if constexpr (std::is_same_v<S, TargetSums>) add_for_targets(table, measure);
    finders_.push_back(std::make_unique<GeneralFinder<S>>());
    if (measure.params->random_splits) {
      auto best = std::move(finders_.front());
      finders_.clear();
      finders_.push_back(std::make_unique<RandomFinder<S>>(std::move(best)));
    }
    const bool any_monotonic = !measure.params->monotonic.empty();
    searches_.resize(finders_.size());
    services_.resize(table.columns.size());
    for (std::size_t f = 0; f < finders_.size(); ++f) {
      reads_tables_.push_back(finders_[f]->reads_tables());
      const bool knows_monotonic = finders_[f]->knows_monotonic();
      if (finders_[f]->starts()) {
        if (knows_monotonic || !any_monotonic) starting_.push_back(f);
        continue;
      }
      for (std::size_t j = 0; j < table.columns.size(); ++j) {
        if (!knows_monotonic && table.columns[j].monotonic != 0) continue;
        const RowRange rows = finders_[f]->serves(table.columns[j]);
        if (rows.from < rows.to) services_[j].push_back({rows, f});
      }
    }
  }

  // Begins a node, before its columns are drawn. A finder that accepts it searches all of them.
  void start(const NodeView<S>& view) {
    takes_all_ = kNone;
    for (const std::size_t f : starting_)
      if (takes_all_ == kNone && finders_[f]->start(view)) takes_all_ = f;
  }
  std::uint64_t may_differ(std::size_t first) const {
    return takes_all_ == kNone ? ~std::uint64_t(0) : finders_[takes_all_]->may_differ(first);
  }

  // Shares out the columns of a node; best[i] is for columns[i].
  void share_out(const NodeView<S>& view, std::span<const int> columns, Candidate* best) {
    for (const std::size_t f : used_) searches_[f].clear();
    used_.clear();
    counted_.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::size_t f = takes_all_ == kNone ? finder_of(columns[i], view.size()) : takes_all_;
      std::vector<Search>& searches = searches_[f];
      if (searches.empty()) used_.push_back(f);
      const Column& column = table_.columns[static_cast<std::size_t>(columns[i])];
      searches.push_back({&column, &best[i], static_cast<std::uint32_t>(searches.size())});
      if (reads_tables_[f] && !view.sorts_rows(column)) counted_.push_back(&column);
    }
  }
  // Columns whose count tables are read by find().
  std::span<const Column* const> counted() const { return counted_; }

  // Finds the best splits of the columns that were shared out.
  void find(NodeView<S>& view, Team* team) {
    for (const std::size_t f : used_) finders_[f]->prepare(view, searches_[f], team);
    for (const std::size_t f : used_) {
      const std::span<const Search> searches = searches_[f];
      if (!team) {
        finders_[f]->find(view, searches, scratch_[0]);
        continue;
      }
      team->run(static_cast<int>(searches.size()), [&](int i, int thread) {
        NodeView<S> own = view;
        finders_[f]->find(own, searches.subspan(static_cast<std::size_t>(i), 1), scratch_[thread]);
      });
    }
  }

 private:
  struct Service {
    RowRange rows;
    std::size_t finder;
  };

  void add_fast(const TrainingTable& table, const Measure& measure) {
    const int on = measure.params->finders;
    if (on & kFewRows) finders_.push_back(std::make_unique<FewRows>(table, measure));
    if (on & kBuckets) finders_.push_back(std::make_unique<BucketFinder>(table, measure));
    if (on & kKeys) finders_.push_back(std::make_unique<KeyFinder>(table, measure));
    if (on & kCounts) finders_.push_back(std::make_unique<CountFinder>(table, measure));
    if (on & kLists) finders_.push_back(std::make_unique<ListFinder>(table, measure));
  }
  void add_for_targets(const TrainingTable& table, const TargetMeasure& measure) {
    const Params& params = *measure.params;
    if (params.criterion == Criterion::AbsoluteError)
      finders_.push_back(std::make_unique<AbsoluteErrorFinder>());
    if (params.random_splits) return;
    if (params.finders & kFewTargets)
      finders_.push_back(std::make_unique<FewTargets>(table, measure));
    if (params.finders & kTargetLists)
      finders_.push_back(std::make_unique<TargetLists>(table, measure));
  }
  // The last service is the general finder's, which refuses nothing.
  std::size_t finder_of(int column, std::uint32_t n_rows) const {
    const Service* service = services_[static_cast<std::size_t>(column)].data();
    while (!service->rows.holds(n_rows)) ++service;
    return service->finder;
  }

  const TrainingTable& table_;
  std::vector<std::unique_ptr<Finder<S>>> finders_;
  std::vector<std::vector<Service>> services_;  // by column, in order of preference
  std::vector<std::size_t> starting_;           // finders that take whole nodes
  std::vector<char> reads_tables_;              // by finder

  // Of the node.
  static constexpr std::size_t kNone = ~std::size_t(0);
  std::size_t takes_all_ = kNone;
  std::vector<std::vector<Search>> searches_;  // by finder
  std::vector<std::size_t> used_;              // finders that search at least one column
  std::vector<const Column*> counted_;
  std::vector<SearchScratch<Sum>> scratch_;  // by thread
};

}  // namespace plaintree
