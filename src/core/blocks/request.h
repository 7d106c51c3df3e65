// What is asked of blocks, and what they reply.
//
//   plan     all splits so far: how rows reach nodes. Rows that have not seen its end follow it
//   slot     a node that is asked about; a pair is a slot and a column
//   count    of every pair, the sums of its rows by bucket; of a slot, the sums of all its rows
//   look     the rows of a pair that lie in open buckets, one by one
//   gather   all rows of some nodes, with what they count
//   rows     all rows of the table as they were given, with some of their columns
//   precede  the greatest training values not above some numbers
//
// A request holds all that its reply depends on. Replies are integers and lists without an order:
// blocks may be asked in any order, and their replies be added in any grouping.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/params.h"
#include "stats/sums.h"

namespace plaintree {

// How rows of one node reach its children, which stand side by side.
struct BlockSplit {
  std::int32_t node = 0, column = 0, first_child = 0, n_branches = 0;
  // Of a number: below the first code or above the last one the code decides, between them the
  // threshold. Codes are equal if values between them are in one bucket.
  std::uint32_t low_code = 0, high_code = 0;
  double threshold = 0;
  std::vector<std::int32_t> branches;  // of a category, by code; empty: a number
  // Missing rows: to one branch, to one by class, or divided into these fractions; -1: there are
  // none.
  std::vector<std::int32_t> missing;
  std::vector<double> shares;

  void write(ByteWriter& writer) const;
  static BlockSplit read(ByteReader& reader);
};

// What rows count.
struct RowRules {
  bool in_units = false;  // otherwise a row counts 1, or as often as it is drawn
  std::int32_t unit_bits = 0;
  std::vector<double> class_factors;  // weights are multiplied by them; empty: they are not
  double most = 1, scale = 1;         // then divided by the greatest and multiplied by the scale
  bool is_scaled = false;
  bool divides = false;  // rows may be in several nodes
  std::int32_t target_bits = 0;
  // The sample: 0 all rows, 1 with replacement, 2 without.
  std::int32_t sampling = 0;
  std::uint64_t draw_key = 0, n_table_rows = 0, hash_limit = 0;
  std::vector<std::uint32_t> draws_of_blocks;
};

// The cells of one group of rows, all of them integers:
//   classes  the weight of each; numbers: weight, sum (two words), distances from the centre (two)
//   then     rows, where they are not the weights, together or by class; and rows by class, as
//            often as they were drawn, where minimum numbers of rows are asked for
struct CellLayout {
  std::int32_t n_classes = 0;
  bool with_rows = false, rows_by_class = false, with_times = false;
  bool unused = false;  // requests are compared by their bytes: no padding

  int n_sums() const { return n_classes > 0 ? n_classes : 5; }
  int n_rows() const { return !with_rows ? 0 : rows_by_class ? n_classes : 1; }
  int n_times() const { return with_times ? std::max(1, n_classes) : 0; }
  int width() const { return n_sums() + n_rows() + n_times(); }
  int rows_at() const { return n_sums(); }
  int times_at() const { return n_sums() + n_rows(); }
};

// Buckets of a pair: from `first_code` on 2^shift codes each; missing rows have the last cell.
// Where it is refined, `cells` of its buckets begin there, with 2^fine codes each; -1: not counted.
struct CountPair {
  std::int32_t slot = 0, column = 0;
  std::uint32_t first_code = 0, n_buckets = 0;
  std::uint32_t shift = 0, refined_at = 0;  // 0: not refined; otherwise 1 + place in `refined`
  std::uint64_t first_cell = 0;             // in groups of width()
};
struct RefinedBucket {
  std::int32_t first_cell = -1;
  std::uint32_t shift = 0;
};

struct LookPair {
  std::int32_t slot = 0, column = 0;
  std::uint32_t first_code = 0, n_buckets = 0, shift = 0;
  std::uint32_t first_open = 0;  // place in `open`: a byte for each bucket
};

// How the targets of a node spread, once their mean is known.
struct SpreadOf {
  std::int64_t centre = 0;
  double rest = 0, mean = 0, bound = 0, total = 0;
};

struct Precede {
  std::int32_t column = 0;
  std::vector<double> numbers;  // ascending
};

struct Request {
  std::uint64_t number = 0;
  Criterion criterion = Criterion::Gini;
  double target_unit = 1;
  RowRules rules;
  CellLayout layout;
  std::vector<BlockSplit> plan;
  std::vector<std::int32_t> slots;    // nodes
  std::vector<std::int64_t> centres;  // of slots, for distances; empty: classes
  std::vector<CountPair> count;
  std::vector<RefinedBucket> refined;
  std::uint64_t n_cells = 0;
  bool large_cells = false;  // counts may exceed 32 bits, once blocks are added
  std::vector<LookPair> look;
  std::vector<std::uint8_t> open;
  bool sums = false;              // of every slot
  std::vector<SpreadOf> spreads;  // of every slot; empty: not asked for
  std::vector<std::int32_t> gather;
  bool all_rows = false;
  std::vector<std::int32_t> columns;  // of all rows
  std::vector<Precede> precede;

  Request() = default;
  explicit Request(ByteSpan bytes);
  Bytes bytes() const;
};

// Rows found one by one.
struct Lists {
  std::vector<std::uint64_t> keys;    // sort keys
  std::vector<std::uint32_t> pairs;   // positions in Request::look
  std::vector<std::uint16_t> codes;   // buckets
  std::vector<std::uint16_t> groups;  // classes
  std::vector<std::int64_t> weights;  // empty: 1
  std::vector<std::uint32_t> times;   // empty: 1
  std::vector<std::int64_t> targets;  // empty: classes

  std::size_t size() const { return keys.size(); }
  void append(const Lists& other);
};

struct RowRun {
  std::uint64_t first = 0, n = 0;
};

// Whole rows, column after column: of some nodes, or of the table.
struct GatheredRows {
  std::vector<std::int32_t> nodes;
  std::vector<std::int32_t> classes;
  std::vector<double> targets;
  std::vector<std::int64_t> weights;  // in units; empty: 1
  std::vector<std::uint32_t> times;
  std::vector<double> given_weights;       // of all rows, where they were given
  std::vector<RowRun> runs;                // of all rows: their numbers in the table
  std::vector<std::vector<float>> floats;  // by column; empty: of another kind, or left out
  std::vector<std::vector<double>> doubles;
  std::vector<std::vector<std::int32_t>> codes;

  std::size_t size() const { return nodes.size(); }
  void append(const GatheredRows& other);
};

struct TargetRange {
  std::int64_t least = 0, most = 0;
};
struct SpreadSum {
  std::int64_t whole = 0, parts = 0;
};

struct Reply {
  std::uint64_t number = 0;
  CellLayout layout;
  std::vector<std::uint32_t> small_cells;  // where rows count 1: these, otherwise the others
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> sums;   // slots x width
  std::vector<TargetRange> ranges;  // of slots; least > most: no rows
  std::vector<SpreadSum> spreads;
  Lists lists;
  GatheredRows rows;
  std::vector<std::vector<double>> preceding;  // as the numbers of `precede`; -inf: there is none

  Reply() = default;
  explicit Reply(ByteSpan bytes);
  Bytes bytes() const;
  void merge(const Reply& other);
};

// Sums of 128 bits lie in two words.
inline WideInt wide_at(const std::int64_t* words) {
  __extension__ typedef unsigned __int128 Bits;
  return static_cast<WideInt>(static_cast<Bits>(static_cast<std::uint64_t>(words[1])) << 64 |
                              static_cast<std::uint64_t>(words[0]));
}
inline void add_wide(std::int64_t* words, WideInt value) {
  const WideInt sum = wide_at(words) + value;
  words[0] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum));
  words[1] = static_cast<std::int64_t>(sum >> 64);
}
// Adds the cells of groups of rows.
void add_cells(const CellLayout& layout, std::int64_t* to, const std::int64_t* from,
               std::size_t n_groups);

}  // namespace plaintree
