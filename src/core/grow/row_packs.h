// The rows of small subtrees, gathered where the cache holds them.
//
// Where columns are drawn, a node reads a few codes of each of its rows, which may be anywhere in
// the table. Once a node has few of the rows, it gets them into an array of its own, for all nodes
// below it; in a large table such an array may hold further, smaller ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "table/training_table.h"

namespace plaintree {

class RowPacks {
 public:
  void clear() { n_packs_ = 0; }

  // Gives up the packs of subtrees that are finished: only the first `n_pending` nodes wait.
  void finish(std::size_t n_pending) {
    while (n_packs_ > 0 && n_pending < packs_[n_packs_ - 1]->n_pending) --n_packs_;
  }

  static bool worth(const RowCodes& codes, std::uint32_t n_rows) {
    return n_rows >= kLeastRows && n_rows <= codes.n_rows / kShare &&
           codes.size_in_bytes() > kCacheBytes;
  }

  // Renumbers the rows of `entries`, and returns where their codes are from now on.
  const RowCodes* pack(const TrainingTable& table, const RowCodes& codes, std::span<Entry> entries,
                       std::size_t n_pending) {
    if (n_packs_ == packs_.size()) packs_.push_back(std::make_unique<Pack>());
    Pack& pack = *packs_[n_packs_++];
    const int tag_bits = table.class_bits + table.repeat_bits;
    rows_.clear();
    for (Entry& entry : entries) {
      const Entry tag = entry & ((1u << tag_bits) - 1);
      const auto number = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back(table.row(entry));
      entry = number << tag_bits | tag;
    }
    pack.codes.take(codes, rows_);
    pack.n_pending = n_pending;
    return &pack.codes;
  }

 private:
  struct Pack {
    RowCodes codes;
    std::size_t n_pending = 0;  // nodes outside of the subtree that wait meanwhile
  };
  static constexpr std::uint32_t kLeastRows = 64, kShare = 16;
  static constexpr std::size_t kCacheBytes = 1 << 17;

  std::vector<std::unique_ptr<Pack>> packs_;  // one inside the other; kept for the next ones
  std::size_t n_packs_ = 0;
  std::vector<std::uint32_t> rows_;
};

}  // namespace plaintree
