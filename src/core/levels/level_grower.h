// Growing level by level from counts: the tree that rows in memory would give.
//
// A grower has no rows, no files and no clock. It asks (next), is answered (answer), and decides;
// the same answers give the same tree. For every level:
//   1. sums     what is not known of nodes from the counts of their parents
//   2. count    the rows of every node and column, by bucket; nodes in groups, as tables have room
//   3. refine   buckets that are open, and have too many rows, by finer ones
//   4. look     at the rows of open buckets, one by one
//   5. choose   the best column; its split becomes part of the plan that rows follow
// Small nodes are set aside; in the end their rows are gathered, and grown in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/bytes.h"
#include "base/params.h"
#include "tree/tree_arrays.h"

namespace plaintree {

struct LevelOptions {
  std::uint64_t table_bytes = std::uint64_t(64) << 20;  // of the tables of a reply
  std::uint64_t list_rows = std::uint64_t(8) << 20;     // rows of a reply, one by one
  std::uint64_t gather_rows = 0;  // nodes of so many rows are grown in memory; 0: none are
  bool gathers_early = false;     // also where counting a few levels more would cost less
  // Row weights, see RowRules.
  std::vector<double> class_factors;
  double most = 1, scale = 1;
  bool is_scaled = false;
  // The sample of a tree of a forest.
  std::int32_t sampling = 0;
  std::uint64_t sampling_seed = 0, n_draws = 0;
  double table_weight = 0;  // of all rows, drawn or not
  std::uint32_t tree = 0;
  bool in_forest = false;
  int n_threads = 1;
};

// More would be needed than a limit allows: the rows of one column at one node, or a table.
struct LimitTooSmall : std::runtime_error {
  LimitTooSmall(const char* what, std::uint64_t needed_bytes)
      : std::runtime_error(what), needed(needed_bytes) {}
  std::uint64_t needed;
};

struct LevelProgress {
  int level = 0;
  std::uint64_t open_nodes = 0, nodes = 0, requests = 0, rows_set_aside = 0;
  const char* phase = "";
};

class LevelGrower {
 public:
  virtual ~LevelGrower() = default;
  // The next request; none: done.
  virtual std::optional<Bytes> next() = 0;
  virtual void answer(ByteSpan reply, const std::function<bool()>& interrupted) = 0;
  // What a checkpoint holds: the last level that was finished.
  virtual Bytes state() const = 0;
  virtual LevelProgress progress() const = 0;
  virtual TreeArrays finish() = 0;
};

// `checkpoint`: the state of another grower of the same facts, parameters and options; or nothing.
std::unique_ptr<LevelGrower> make_level_grower(ByteSpan facts, const Params& params,
                                               const LevelOptions& options, ByteSpan checkpoint);

}  // namespace plaintree
