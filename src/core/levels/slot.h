// A node that is worked on, and what its columns offer.
#pragma once

#include <cstdint>
#include <vector>

#include "levels/branches.h"
#include "levels/pair_counts.h"
#include "search/candidate.h"

namespace plaintree {

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

}  // namespace plaintree
