// Finders: the ways to find the best split of a column, behind one interface.
//
// Each states once per fit which columns it serves, and in nodes of how many rows. Finders (in
// finders.h) tries them in order of preference; the last one, GeneralFinder, serves every column
// and every node. Above each finder stands what it is worth: CPU time of a fit without it over the
// time with all of them (benchmarks/finders.py).
//
// A fast finder may reject cuts by a bound. Which of two cuts is better is decided in better.h,
// for all finders, so every finder finds the same cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/team.h"
#include "search/candidate.h"
#include "search/node_view.h"
#include "search/targets/target_scan.h"
#include "stats/median_list.h"

namespace plaintree {

// Nodes of [from, to) rows; empty: none.
struct RowRange {
  std::uint32_t from = 0, to = 0;

  static constexpr std::uint32_t kNoLimit = 0xFFFFFFFFu;
  static RowRange all() { return {0, kNoLimit}; }
  static RowRange none() { return {}; }
  bool holds(std::uint32_t n_rows) const { return from <= n_rows && n_rows < to; }
};

// A column to be searched, and where its best split goes.
struct Search {
  const Column* column;
  Candidate* best;
  std::uint32_t number;  // among the columns that the finder searches in this node
};

// A cut of absolute error, and what its sides leave open.
struct MedianCut {
  std::uint32_t position;
  WideInt open;
  WideInt twice_low = 0, twice_high = 0;  // twice the medians, of a monotonic column
};

// Scratch buffers of one thread.
template <class Sum>
struct SearchScratch {
  CutScratch<Sum> cuts;
  ValueCounts<Sum> values;
  std::vector<Sum> known, missing;
  std::vector<Item> items, spare;
  std::vector<std::uint32_t> keys, spare_keys;
  std::vector<char> open_buckets;
  std::vector<Entry> kept_entries;
  MedianList medians;
  std::vector<MedianCut> median_cuts;
  std::vector<TargetBlock> blocks;
  std::vector<TargetCuts> target_cuts;  // by column
};

template <Statistics S>
class Finder {
 public:
  virtual ~Finder() = default;

  // In which nodes it searches a column. Asked once per fit.
  virtual RowRange serves(const Column& column) const = 0;
  // Whether it reads the count tables of byte columns.
  virtual bool reads_tables() const { return false; }

  // Whether it rejects splits that a monotonic column does not allow; others search no such column.
  virtual bool knows_monotonic() const { return false; }

  // A finder that takes whole nodes starts each of them, before columns are drawn; all columns of a
  // node that it accepts are its own.
  virtual bool starts() const { return false; }
  virtual bool start(const NodeView<S>& /*view*/) { return false; }
  // Of 64 columns from `first` on, those in which the rows of the node may differ: a bit each.
  virtual std::uint64_t may_differ(std::size_t /*first*/) const { return ~std::uint64_t(0); }

  // What all columns of a node share: counting, gathering, raising the bound.
  virtual void prepare(NodeView<S>& /*view*/, std::span<const Search> /*searches*/,
                       Team* /*team*/) {}
  // The best split of each column that gains at least view.bound; others may be left invalid.
  // Called by several threads at once, each with columns and a view of its own.
  virtual void find(NodeView<S>& view, std::span<const Search> searches,
                    SearchScratch<typename S::Sum>& scratch) = 0;
};

}  // namespace plaintree
