// The sums of a node's byte columns, by code: of all columns or of those that were drawn,
// and which of them a child need not count again.
//
// The counts of all byte columns are one array: a table of codes x width for each column, one
// after the other. Where nodes draw columns, only the tables of the drawn ones are filled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/team.h"
#include "search/count/bit_counts.h"
#include "search/node_view.h"

namespace plaintree {

template <Statistics S>
class ByteCounts {
 public:
  using Count = typename S::Sum;

  ByteCounts(const TrainingTable& table, const S& statistics, Team* team)
      : table_(table), statistics_(statistics), width_(statistics.width()), team_(team) {}

  // A buffer for the counts of a node, not initialised.
  std::vector<Count> room() {
    std::vector<Count> counts;
    if (!spare_.empty()) {
      counts = std::move(spare_.back());
      spare_.pop_back();
    }
    counts.resize(table_.n_byte_codes * width_);
    return counts;
  }
  void recycle(std::vector<Count>&& counts) {
    if (counts.capacity() > 0) spare_.push_back(std::move(counts));
    counts = {};
  }

  // Of some byte columns.
  void count_drawn(const NodeView<S>& view, std::span<const Column* const> columns, Count* counts) {
    in_matrix_.clear();
    with_bit_.clear();
    for (const Column* column : columns)
      (column->bit >= 0 ? with_bit_ : in_matrix_).push_back(column);
    if (!in_matrix_.empty()) count_some(view, counts);
    if constexpr (SumsOf<Count>::kClasses)
      if (!with_bit_.empty()) count_bits(view, counts);
  }

  // Of all columns, unless the node has them from its parent.
  void count_all(const NodeView<S>& view, std::vector<Count>& counts) {
    if (table_.codes.n_bytes == 0 || !counts.empty() || view.has_few_classes() ||
        view.measure.params->counts_rows())
      return;
    counts = zeros();
    count(view, {view.begin(), view.end()}, counts.data());
  }

  // Once the rows of a node are routed: the largest child's counts are the node's less the other
  // children's. Only the rows of the others are counted, and with two children these are the other
  // child's counts.
  template <class Router, class Places>
  void inherit(const NodeView<S>& view, const Router& router, const Places& places,
               std::vector<Count>& counts) {
    heir_of_rest_ = heir_of_others_ = kNobody;
    if (counts.empty() || !router.shared.empty() || router.n_staying > 0) return;
    const std::vector<std::uint32_t>& n_rows = router.branch_rows;
    const auto largest =
        static_cast<std::uint32_t>(std::max_element(n_rows.begin(), n_rows.end()) - n_rows.begin());
    if (!places[largest].kept) return;
    const bool both = places.size() == 2 && places[1 - largest].kept;
    const std::size_t width = table_.codes.n_bytes;
    const std::size_t n_others = view.size() - n_rows[largest];
    if (counts.size() + (both ? 0 : n_others * width) >= n_rows[largest] * width) return;
    others_.clear();
    for (const Entry* e = view.begin(); e != view.end(); ++e)
      if (router.branch_of_row(table_.row(*e)) != largest) others_.push_back(*e);
    counts_of_others_ = zeros();
    count(view, others_, counts_of_others_.data());
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] -= counts_of_others_[i];
    heir_of_rest_ = largest;
    if (both) heir_of_others_ = 1 - largest;
  }
  // What a child of that node inherits, if anything, of the node's counts.
  std::vector<Count> inheritance(std::uint32_t branch, std::vector<Count>& counts) {
    if (branch == heir_of_rest_) return std::exchange(counts, {});
    if (branch == heir_of_others_) return std::exchange(counts_of_others_, {});
    return {};
  }
  // No other child inherits.
  void settle(std::vector<Count>& counts) {
    recycle(std::move(counts));
    recycle(std::move(counts_of_others_));
  }

 private:
  std::vector<Count> zeros() {
    std::vector<Count> counts = room();
    std::fill(counts.begin(), counts.end(), Count(0));
    return counts;
  }

  // Adds these entries to the counts of all columns; threads share out the columns.
  void count(const NodeView<S>& view, std::span<const Entry> entries, Count* counts) const {
    Team* team = team_for(entries.size(), team_);
    const int n_groups = team ? 2 * team->size() : 1;
    const int width = static_cast<int>(table_.codes.n_bytes);
    for_each(team, n_groups, [&](int group, int) {
      count_between(view, entries, width * group / n_groups, width * (group + 1) / n_groups,
                    counts);
    });
  }

  // The same of the columns [first, last).
  void count_between(const NodeView<S>& view, std::span<const Entry> entries, int first, int last,
                     Count* counts) const {
    const int n_codes = static_cast<int>(view.codes.n_bytes);
    const std::size_t* offsets = table_.byte_offsets.data();
    const std::uint8_t* bytes = view.codes.bytes.data();
    constexpr int kAhead = 16;
    const S statistics = statistics_;  // a copy: counts might be its fields, for all we tell
    const int width = width_;
    const Entry *begin = entries.data(), *end = begin + entries.size();
    for (const Entry* e = begin; e != end; ++e) {
      if (end - e > kAhead)
        __builtin_prefetch(bytes + static_cast<std::size_t>(table_.row(e[kAhead])) * n_codes +
                           first);
      const std::uint8_t* row = bytes + static_cast<std::size_t>(table_.row(*e)) * n_codes;
      const typename S::Weight weight = view.weight(*e);
      for (int j = first; j < last; ++j)
        statistics.add(counts + offsets[j] + row[j] * width, *e, weight);
    }
  }

  // Of a few columns of the matrix.
  void count_some(const NodeView<S>& view, Count* counts) const {
    for (const Column* column : in_matrix_)
      std::fill_n(counts + column->offset * width_,
                  (static_cast<std::size_t>(column->n_codes) + 1) * width_, Count(0));
    const RowCodes& codes = view.codes;
    for (const Entry* e = view.begin(); e != view.end(); ++e) {
      const std::uint8_t* own = codes.bytes.data() + table_.row(*e) * codes.n_bytes;
      const typename S::Weight weight = view.weight(*e);
      for (const Column* column : in_matrix_)
        statistics_.add(counts + (column->offset + own[column->position]) * width_, *e, weight);
    }
  }

  // Of columns that have a bit in every row.
  void count_bits(const NodeView<S>& view, Count* counts) {
    const int n_classes = width_;
    const std::uint64_t* words = view.codes.bits.data();
    bits_.choose(with_bit_, n_classes);
    bits_.count([&](auto add) {
      view.for_each(
          view.begin(), view.end(),
          [=, bits = EntryBits(table_), statistics = statistics_](Entry entry, Count weight) {
            add(words[bits.row(entry)], statistics.class_of(entry), weight);
          });
    });
    for (std::size_t i = 0; i < with_bit_.size(); ++i) {
      Count *zeros = counts + with_bit_[i]->offset * n_classes, *ones = zeros + n_classes;
      for (int c = 0; c < n_classes; ++c) {
        ones[c] = bits_.ones(i, c);
        zeros[c] = view.sums[c] - ones[c];
      }
    }
  }

  const TrainingTable& table_;
  const S& statistics_;
  const int width_;
  Team* team_;
  std::vector<const Column*> in_matrix_, with_bit_;  // of the columns drawn
  struct Nothing {};
  std::conditional_t<SumsOf<Count>::kClasses, BitCounts<Count>, Nothing> bits_;
  std::vector<Entry> others_;  // entries that are not the largest child's
  std::vector<Count> counts_of_others_;
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFu;
  std::uint32_t heir_of_rest_ = kNobody, heir_of_others_ = kNobody;
  std::vector<std::vector<Count>> spare_;
};

}  // namespace plaintree
