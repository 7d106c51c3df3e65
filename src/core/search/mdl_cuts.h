// The cuts of a column of blocks into intervals that tell classes apart (Fayyad and Irani 1993).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace plaintree {

// The classes of a column's blocks, in the order of their values: block b has the runs begins[b] ..
// begins[b + 1] - 1, each a class and its weight, which is positive.
struct BlockRuns {
  std::span<const std::int64_t> begins;
  std::span<const std::int32_t> classes;
  std::span<const double> weights;
  int n_classes;

  std::int64_t n_blocks() const { return static_cast<std::int64_t>(begins.size()) - 1; }
};

// The blocks behind which a cut is made, in ascending order. A stretch of blocks is cut where the
// classes' entropy is least afterwards, the lowest one on ties, and then both parts are. With `mdl`
// a cut must save more bits than describing it takes; otherwise it must save some.
std::vector<std::int64_t> chosen_cuts(const BlockRuns& runs, bool mdl,
                                      std::function<bool()> interrupted = {});

}  // namespace plaintree
