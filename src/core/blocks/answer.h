// Answering a request from blocks: pure functions of their bytes.
#pragma once

#include <vector>

#include "blocks/block_rows.h"
#include "blocks/request.h"

namespace plaintree {

// The state of a block after the plan of a request.
Bytes route_block(ByteSpan block, ByteSpan state, const Request& request);

// Adds up what blocks reply to a request. Their cells are added in place: tables of counts are much
// larger than the blocks' own replies would have to be.
class Answer {
 public:
  explicit Answer(const Request& request);
  void add(const BlockView& block, const BlockRows& rows);
  Reply take() { return std::move(reply_); }

 private:
  // Entries of rows in slots, packed side by side.
  struct Entries {
    std::vector<std::uint32_t> rows;  // empty: 0, 1, 2 ...
    std::vector<std::uint32_t> slots;
    std::vector<std::uint32_t> groups;  // classes; empty: numbers
    std::vector<std::int64_t> targets;  // in units
    std::vector<std::int64_t> weights;  // empty: 1
    std::vector<std::uint32_t> times;   // empty: they are the weights, or 1

    std::size_t size() const { return slots.size(); }
    // Keeps the memory for the next block: workers of Dask give back each large piece at once.
    void clear() {
      rows.clear(), slots.clear(), groups.clear();
      targets.clear(), weights.clear(), times.clear();
    }
  };

  void find_entries(const BlockView& block, const BlockRows& rows);
  void add_sums();
  void add_spreads();
  void count_column(const BlockColumn& column, std::size_t first_pair, std::size_t last_pair);
  template <class Code>
  void count_classes(const Code* codes, std::uint32_t missing);
  template <class Code>
  void count_each(const Code* codes, std::uint32_t missing);
  void sort_entries();
  void look_into(const BlockColumn& column, std::size_t first_pair, std::size_t last_pair);
  void gather(const BlockView& block, const BlockRows& rows);
  void take_rows(const BlockView& block);
  void copy_rows(const BlockView& block, const std::vector<std::uint32_t>& rows,
                 const std::vector<std::int32_t>& columns);
  void precede(const BlockView& block);
  void add_cell(std::int64_t* cell, std::size_t entry) const;

  // Where a slot counts a column.
  struct Grid {
    std::uint32_t first_code = 0, shift = 0, n_buckets = 0;
    std::int32_t pair = -1;
    std::uint64_t first_cell = 0;
    const RefinedBucket* refined = nullptr;
  };

  const Request& request_;
  const int width_;
  const bool counts_rows_;  // every row counts 1, and cells are those of classes alone
  std::vector<std::int32_t> slot_of_node_, gathered_;
  Reply reply_;
  Entries entries_;
  std::vector<Grid> grids_;  // by slot, of the column that is counted
  // Entries by slot, and where those of each slot begin.
  std::vector<std::uint32_t> entries_by_slot_, first_of_slot_;
};

}  // namespace plaintree
