// The counts of one column at one node, by bucket, as blocks have replied them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blocks/block.h"
#include "blocks/request.h"
#include "search/count/value_counts.h"

namespace plaintree {

// The cells of a reply, whatever integers they have.
class Cells {
 public:
  explicit Cells(const Reply& reply)
      : layout_(reply.layout),
        width_(static_cast<std::size_t>(reply.layout.width())),
        small_(reply.small_cells),
        large_(reply.cells) {}
  // Sums of slots are cells as well.
  static Cells of_sums(const Reply& reply) {
    Cells cells(reply);
    cells.small_ = {};
    cells.large_ = reply.sums;
    return cells;
  }

  const CellLayout& layout() const { return layout_; }
  std::int64_t word(std::uint64_t cell, int i) const {
    const std::size_t at = cell * width_ + static_cast<std::size_t>(i);
    return small_.empty() ? large_[at] : small_[at];
  }
  bool is_empty(std::uint64_t cell) const {
    for (int i = 0; i < layout_.width(); ++i)
      if (word(cell, i) != 0) return false;
    return true;
  }
  template <class Count>
  void read_sums(std::uint64_t cell, Count* sums) const {
    if constexpr (SumsOf<Count>::kClasses) {
      for (int c = 0; c < layout_.n_classes; ++c) sums[c] = word(cell, c);
    } else {
      sums[0] = word(cell, 0);
      sums[1] = wide(cell, 1);
    }
  }
  WideInt distances(std::uint64_t cell) const { return layout_.n_classes > 0 ? 0 : wide(cell, 3); }
  std::uint64_t rows(std::uint64_t cell) const {
    const int n = layout_.with_rows ? layout_.n_rows() : std::max(1, layout_.n_classes);
    std::int64_t rows = 0;
    for (int i = 0; i < n; ++i) rows += word(cell, (layout_.with_rows ? layout_.rows_at() : 0) + i);
    return static_cast<std::uint64_t>(rows);
  }
  // Of one class, where rows are counted by class.
  std::uint64_t rows_of_class(std::uint64_t cell, int c) const {
    if (layout_.with_rows && !layout_.rows_by_class) return 0;
    return static_cast<std::uint64_t>(word(cell, (layout_.with_rows ? layout_.rows_at() : 0) + c));
  }
  // Of a class, or of all rows of a numeric target: as often as drawn, where that is counted.
  std::uint32_t times(std::uint64_t cell, int group) const {
    return layout_.with_times ? static_cast<std::uint32_t>(word(cell, layout_.times_at() + group))
                              : 0;
  }
  std::uint32_t times(std::uint64_t cell) const {
    std::uint32_t total = 0;
    for (int c = 0; c < layout_.n_times(); ++c) total += times(cell, c);
    return total;
  }

 private:
  WideInt wide(std::uint64_t cell, int i) const {
    const std::int64_t words[] = {word(cell, i), word(cell, i + 1)};
    return wide_at(words);
  }

  CellLayout layout_;
  std::size_t width_;
  std::span<const std::uint32_t> small_;
  std::span<const std::int64_t> large_;
};

// A bucket that has rows: from one code to another, and perhaps of one value.
struct Bucket {
  std::uint32_t first_code = 0, last_code = 0;
  bool is_pure = false, is_open = false;
  std::uint64_t rows = 0;
  WideInt distances = 0;  // numeric targets: from the centre of the node
};

// How many rows are missing, in all and by class.
struct MissingRows {
  std::uint64_t all = 0;
  std::vector<std::uint64_t> of_class;

  MissingRows() = default;
  MissingRows(const Cells& cells, std::uint64_t cell) : all(cells.rows(cell)) {
    for (int c = 0; c < cells.layout().n_classes; ++c)
      of_class.push_back(cells.rows_of_class(cell, c));
  }
};

// The buckets of a pair that have weight, in order, and its missing rows.
template <class Count>
struct PairCounts {
  CountPair pair;
  std::vector<Bucket> buckets;
  ValueCounts<Count> values;  // of the buckets, which are the codes
  MissingRows missing_rows;

  PairCounts() = default;
  // `width`: integers of a group.
  PairCounts(const CountPair& counted, const ColumnFacts& facts, const Cells& cells, int width)
      : pair(counted) {
    values.clear(width);
    sums_.resize(static_cast<std::size_t>(width));
    for (std::uint32_t b = 0; b < pair.n_buckets; ++b) {
      const std::uint32_t first = pair.first_code + (b << pair.shift);
      const std::uint32_t last = std::min(first + (1u << pair.shift), facts.n_codes) - 1;
      add(first, last, facts, cells, pair.first_cell + b);
    }
    const std::uint64_t missing = pair.first_cell + pair.n_buckets;
    cells.read_sums(missing, values.missing.data());
    values.missing_total = SumsOf<Count>::weight(values.missing.data(), width);
    missing_rows = MissingRows(cells, missing);
    for (int c = 0; c < cells.layout().n_times(); ++c)
      values.missing_rows[c] = cells.times(missing, c);
  }

  // Whether a bucket has several codes, and rows that are not known one by one.
  static bool can_be_refined(const Bucket& bucket) {
    return bucket.is_open && bucket.first_code < bucket.last_code;
  }

  // Puts finer buckets in place of those that were counted again.
  void refine(const CountPair& counted, const RefinedBucket* refined, const ColumnFacts& facts,
              const Cells& cells) {
    const std::vector<Bucket> coarse = std::move(buckets);
    const ValueCounts<Count> before = std::move(values);
    buckets.clear();
    values.clear(before.n_classes);
    values.missing = before.missing;
    values.missing_total = before.missing_total;
    values.missing_rows = before.missing_rows;
    for (std::size_t b = 0; b < coarse.size(); ++b) {
      const RefinedBucket& fine =
          refined[(coarse[b].first_code - counted.first_code) >> counted.shift];
      if (fine.first_cell < 0) {
        values.append(static_cast<std::int32_t>(buckets.size()), before.row(b), before.rows[b]);
        buckets.push_back(coarse[b]);
        continue;
      }
      const std::uint32_t n = (coarse[b].last_code - coarse[b].first_code) >> fine.shift;
      for (std::uint32_t i = 0; i <= n; ++i) {
        const std::uint32_t first = coarse[b].first_code + (i << fine.shift);
        add(first, std::min(first + (1u << fine.shift) - 1, coarse[b].last_code), facts, cells,
            counted.first_cell + static_cast<std::uint64_t>(fine.first_cell) + i);
      }
    }
  }

 private:
  // Rows without weight were divided until nothing was left of them, and have no value either.
  void add(std::uint32_t first, std::uint32_t last, const ColumnFacts& facts, const Cells& cells,
           std::uint64_t cell) {
    if (cells.is_empty(cell)) return;
    cells.read_sums(cell, sums_.data());
    const std::size_t before = values.size();
    values.append(static_cast<std::int32_t>(before), sums_.data(), cells.times(cell));
    if (values.size() == before) return;
    buckets.push_back({first, last, first == last && facts.is_pure(first), false, cells.rows(cell),
                       cells.distances(cell)});
  }

  std::vector<Count> sums_;
};

}  // namespace plaintree
