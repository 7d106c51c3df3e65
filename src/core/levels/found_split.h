// The best split of a column, found from counts, and what is needed to carry it out.
#pragma once

#include <cstdint>
#include <vector>

#include "levels/pair_counts.h"
#include "search/candidate.h"
#include "search/count/value_counts.h"

namespace plaintree {

template <class Count>
struct FoundSplit {
  int column = -1;
  Candidate candidate;
  std::uint32_t low_code = 0, high_code = 0;  // buckets on both sides of a threshold
  // Of the known rows by value, before any are imputed. The codes of a number are 0, 1, 2 ...; a
  // candidate names the last one on the low side.
  ValueCounts<Count> values;
  std::vector<std::uint64_t> rows;  // of the values
  MissingRows missing_rows;
};

}  // namespace plaintree
