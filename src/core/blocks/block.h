// A block: some rows of a table, encoded, column after column.
//
//   code     of a number, how many borders of its column lie below it: its bucket. Borders decide
//            what counting costs, never what a tree is. Of a category, its position. What is
//            missing has the code after all others.
//   value    a number as it was given, -0.0 made 0.0
//   facts    what must be known of all rows of a table; those of blocks are merged in any order
//
// Blocks are immutable bytes. They are read where they are, and only what is asked for is touched:
// codes of all columns stand before the values, so counting from a disk reads no values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "blocks/borders.h"
#include "table/training_table.h"

namespace plaintree {

inline constexpr std::uint32_t kBlockRows = 1u << 17;
// A column of so many borders or fewer keeps the least and greatest value of every bucket: where
// they agree, counts by bucket are counts by value.
inline constexpr std::size_t kTrackedBorders = 4096;
inline constexpr int kMostBuckets = 65534;

struct BlockColumn {
  bool numeric = true, single = false;
  std::uint32_t n_codes = 0;  // the code of missing values
  int code_bytes = 1;         // 1, 2 or 4
  const std::uint8_t* codes = nullptr;
  const float* floats = nullptr;  // numbers, of which one is there
  const double* doubles = nullptr;

  // Calls use(codes) with the codes as an array of their type.
  template <class Use>
  void with_codes(Use use) const {
    if (code_bytes == 1)
      use(codes);
    else if (code_bytes == 2)
      use(reinterpret_cast<const std::uint16_t*>(codes));
    else
      use(reinterpret_cast<const std::uint32_t*>(codes));
  }
  std::uint32_t code(std::size_t row) const {
    if (code_bytes == 2) return reinterpret_cast<const std::uint16_t*>(codes)[row];
    return code_bytes == 1 ? codes[row] : reinterpret_cast<const std::uint32_t*>(codes)[row];
  }
  double value(std::size_t row) const { return single ? floats[row] : doubles[row]; }
};

struct BlockView {
  std::uint32_t n_rows = 0;
  std::uint64_t first_row = 0;
  std::int32_t n_classes = 0;              // 0: the target is numeric
  std::span<const std::uint16_t> classes;  // of rows; empty: targets
  std::span<const double> targets;
  std::span<const double> weights;  // empty: every row counts 1
  std::vector<BlockColumn> columns;

  // Reads what encode_block has written; damage to the structure is an error.
  explicit BlockView(ByteSpan bytes);
};

// Compares the whole block with its checksum; an error if it was changed.
void check_block(ByteSpan bytes);

struct ColumnFacts {
  bool numeric = true, single = false, has_missing = false;
  std::uint32_t n_codes = 0;
  std::uint64_t borders = 0;  // a checksum: codes of other borders mean something else
  std::vector<double> least,
      greatest;  // by bucket; empty: not kept. An empty bucket has none (NaN)

  bool is_tracked() const { return !least.empty(); }
  // Whether all rows of a bucket have one value.
  bool is_pure(std::uint32_t code) const { return is_tracked() && least[code] == greatest[code]; }
};

struct TableFacts {
  std::uint64_t n_rows = 0;
  std::uint64_t hash = 0;
  std::int32_t n_classes = 0;
  bool weighted = false;
  bool has_zero_weights = false;
  // By class, or one for all rows of a numeric target: rows, greatest and least weight above zero.
  std::vector<std::uint64_t> rows_of_class;
  std::vector<double> heaviest, lightest;
  double least_target = 0, greatest_target = 0;
  std::vector<ColumnFacts> columns;

  TableFacts() = default;
  explicit TableFacts(ByteSpan bytes);
  Bytes bytes() const;
  // Adds those of other rows.
  void merge(const TableFacts& other);
};

struct EncodedBlock {
  Bytes block, facts;
};

// Encodes rows by the borders of every numeric column, ascending; other columns have none.
class BlockEncoder {
 public:
  explicit BlockEncoder(const std::vector<std::vector<double>>& borders);
  // At most kBlockRows rows, the first of which has this number in the table.
  EncodedBlock encode(const Examples& examples, std::uint64_t first_row) const;

 private:
  std::vector<Borders> buckets_;          // of every column
  std::vector<std::uint64_t> checksums_;  // of their borders
};

}  // namespace plaintree
