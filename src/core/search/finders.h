// The finders of a fit in order of preference, and the columns of a node shared out to them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "search/finder.h"
#include "search/general.h"
#include "search/gini/bucket_finder.h"
#include "search/gini/count_finder.h"
#include "search/gini/few_rows.h"
#include "search/gini/key_finder.h"
#include "search/gini/list_finder.h"

namespace plaintree {

// All finders but the last one can be switched off by a bit of Params::finders, for benchmarks and
// tests. The tree is the same without them.
enum FinderBit : int { kFewRows = 1, kBuckets = 2, kKeys = 4, kCounts = 8, kLists = 16 };

template <Statistics S>
class Finders {
 public:
  using Sum = typename S::Sum;

  Finders(const TrainingTable& table, const Measure& measure, int n_threads)
      : table_(table), scratch_(n_threads) {
    if constexpr (std::is_same_v<S, RowCounts>) add_fast(table, measure);
    finders_.push_back(std::make_unique<GeneralFinder<S>>(measure));
    accepts_.assign(finders_.size(), true);
    searches_.resize(finders_.size());
    services_.resize(table.columns.size());
    for (std::size_t f = 0; f < finders_.size(); ++f) {
      if (finders_[f]->starts()) starting_.push_back(f);
      for (std::size_t j = 0; j < table.columns.size(); ++j) {
        const RowRange rows = finders_[f]->serves(table.columns[j]);
        if (rows.from < rows.to) services_[j].push_back({rows, f});
      }
    }
  }

  // Begins a node, before its columns are drawn.
  void start(const NodeView<S>& view) {
    started_ = nullptr;
    for (const std::size_t f : starting_) {
      accepts_[f] = finders_[f]->start(view);
      if (accepts_[f]) started_ = finders_[f].get();
    }
  }
  std::uint64_t may_differ(std::size_t first) const {
    return started_ ? started_->may_differ(first) : ~std::uint64_t(0);
  }

  // Shares out the columns of a node; best[i] is for columns[i].
  void share_out(const NodeView<S>& view, std::span<const int> columns, Candidate* best) {
    for (std::vector<Search>& searches : searches_) searches.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::vector<Search>& searches = searches_[finder_of(columns[i], view.size())];
      searches.push_back(
          {&table_.columns[columns[i]], &best[i], static_cast<std::uint32_t>(searches.size())});
    }
    counted_.clear();
    for (std::size_t f = 0; f < finders_.size(); ++f) {
      if (searches_[f].empty() || !finders_[f]->reads_tables()) continue;
      for (const Search& search : searches_[f])
        if (!view.sorts_rows(*search.column)) counted_.push_back(search.column);
    }
  }
  // Columns whose count tables are read by find().
  std::span<const Column* const> counted() const { return counted_; }

  // Finds the best splits of the columns that were shared out.
  void find(NodeView<S>& view, Team* team) {
    for (std::size_t f = 0; f < finders_.size(); ++f)
      if (!searches_[f].empty()) finders_[f]->prepare(view, searches_[f], team);
    for (std::size_t f = 0; f < finders_.size(); ++f) {
      const std::span<const Search> searches = searches_[f];
      if (searches.empty()) continue;
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
  // The last service is the general finder's, which refuses nothing.
  std::size_t finder_of(int column, std::uint32_t n_rows) const {
    const Service* service = services_[static_cast<std::size_t>(column)].data();
    while (!service->rows.holds(n_rows) || !accepts_[service->finder]) ++service;
    return service->finder;
  }

  const TrainingTable& table_;
  std::vector<std::unique_ptr<Finder<S>>> finders_;
  std::vector<std::vector<Service>> services_;  // by column, in order of preference
  std::vector<std::size_t> starting_;           // finders that begin a node

  // Of the node.
  std::vector<char> accepts_;  // by finder
  const Finder<S>* started_ = nullptr;
  std::vector<std::vector<Search>> searches_;  // by finder
  std::vector<const Column*> counted_;
  std::vector<SearchScratch<Sum>> scratch_;  // by thread
};

}  // namespace plaintree
