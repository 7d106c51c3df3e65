// Surrogate splits of a node (CART): splits on other columns that agree with the chosen one.
//
//   side        where the chosen split sends a row whose value it knows: 0, 1, or kNoSide
//   agreement   the weight of the rows that a surrogate sends to their side, over a total: of all
//               rows with a side or, if Params::agreement_of_known, of those among them whose value
//               the surrogate knows
//   majority    what sending every row of that total to its heavier side agrees
//
//   1. threshold   both directions of every cut with two rows on each side are tried; the lowest of
//                  equal cuts is taken
//      categories  each goes to the side where more of its weight is; equal: to the heavier side
//   2. what agrees no more than the majority is left out
//   3. the others by falling agreement, earlier columns first, up to a number
//
// Weights are those of the rows as they are given, whatever the criterion makes of them: integers,
// so agreements do not depend on the order of the rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/team.h"
#include "search/general.h"
#include "search/threshold.h"
#include "tree/surrogates.h"

namespace plaintree {

inline constexpr std::int32_t kNoSide = -1;

// Weights and rows by side.
struct SideSums {
  std::int64_t weight[2] = {0, 0};
  std::uint32_t rows[2] = {0, 0};

  void add(std::int32_t side, std::int64_t w) {
    weight[side] += w;
    ++rows[side];
  }
  std::int64_t total() const { return weight[0] + weight[1]; }
  std::int64_t majority() const { return std::max(weight[0], weight[1]); }
  std::int32_t heavier() const { return weight[0] > weight[1] ? 0 : 1; }
  std::uint32_t n_rows() const { return rows[0] + rows[1]; }
};

template <Statistics S>
class SurrogateSearch {
 public:
  SurrogateSearch(const TrainingTable& table, const Params& params, Team* team)
      : table_(table),
        params_(params),
        team_(team),
        scratch_(team ? team->size() : 1),
        found_(table.columns.size()) {}

  // `side_of(row)`: of every row of the node, whose split is on the column `primary`.
  template <class SideOf>
  std::vector<Surrogate> find(const NodeView<S>& view, const Column& primary, SideOf side_of) {
    sides_ = {};
    for_each_known(view, primary, [&](Entry entry) {
      const std::int32_t side = side_of(table_.row(entry));
      if (side != kNoSide) sides_.add(side, weight(view, entry));
    });
    const int n_columns = params_.max_surrogates > 0 ? static_cast<int>(found_.size()) : 0;
    Team* team = static_cast<std::size_t>(view.size()) < kSmallNode ? nullptr : team_;
    for_each(team, n_columns, [&](int j, int thread) {
      found_[j] = {};
      const Column& column = table_.columns[j];
      if (&column != &primary) search(view, column, side_of, scratch_[thread], found_[j]);
      found_[j].split.attribute = j;
    });
    return best(n_columns);
  }

  // The rows with a side at the node that was searched last.
  const SideSums& sides() const { return sides_; }

 private:
  struct Found {
    Surrogate split;
    std::int64_t agreed = 0, total = 0, majority = 0;

    bool is_useful() const { return agreed > majority; }
    bool beats(const Found& other) const {
      return static_cast<WideInt>(agreed) * other.total >
             static_cast<WideInt>(other.agreed) * total;
    }
  };
  // Rows of one value: items first .. last - 1 of the list.
  struct Group {
    std::uint32_t first, last;
    SideSums sums;
  };
  using Scratch = SearchScratch<typename S::Sum>;

  std::int64_t weight(const NodeView<S>& view, Entry entry) const {
    if (!table_.case_weights.empty()) return table_.case_weights[table_.row(entry)];
    return static_cast<std::int64_t>(view.weight(entry));
  }

  // Entries are not kept where all columns are sorted lists.
  template <class Use>
  static void for_each_known(const NodeView<S>& view, const Column& column, Use use) {
    if (column.store != Column::Store::Sorted) {
      std::for_each(view.begin(), view.end(), use);
      return;
    }
    const Item* items = view.list_of(column);
    const std::uint32_t n_known = count_known(items, view.size(), kMissingRank);
    for (std::uint32_t i = 0; i < n_known; ++i) use(items[i].entry);
  }

  // Calls use(group) for each value of the list, ascending.
  template <class SideOf, class Use>
  void for_each_group(const NodeView<S>& view, const SortedList& list, SideOf side_of,
                      Use use) const {
    for (std::uint32_t i = 0; i < list.n_known;) {
      Group group{i, i, {}};
      for (; group.last < list.n_known && list.items[group.last].rank == list.items[i].rank;
           ++group.last) {
        const Entry entry = list.items[group.last].entry;
        const std::int32_t side = side_of(table_.row(entry));
        if (side != kNoSide) group.sums.add(side, weight(view, entry));
      }
      use(group);
      i = group.last;
    }
  }

  template <class SideOf>
  void search(const NodeView<S>& view, const Column& column, SideOf side_of, Scratch& scratch,
              Found& found) const {
    const SortedList list = sorted_list(view, column, scratch);
    SideSums known;
    for_each_group(view, list, side_of, [&](const Group& group) {
      for (const int side : {0, 1}) {
        known.weight[side] += group.sums.weight[side];
        known.rows[side] += group.sums.rows[side];
      }
    });
    const SideSums& counted = params_.agreement_of_known ? known : sides_;
    found.total = counted.total();
    found.majority = counted.majority();
    if (column.numeric)
      find_threshold(view, column, list, side_of, known, found);
    else
      find_branches(view, column, list, side_of, known, found);
  }

  template <class SideOf>
  void find_threshold(const NodeView<S>& view, const Column& column, const SortedList& list,
                      SideOf side_of, const SideSums& known, Found& found) const {
    std::int64_t most = known.majority();
    std::uint32_t position = 0;
    SideSums low;
    for_each_group(view, list, side_of, [&](const Group& group) {
      const std::uint32_t n_low = low.n_rows();
      if (group.first > 0 && n_low >= kLeastRows && known.n_rows() - n_low >= kLeastRows) {
        const std::int64_t straight = low.weight[0] + known.weight[1] - low.weight[1];
        const std::int64_t agreed = std::max(straight, known.total() - straight);
        if (agreed > most) {
          most = agreed;
          position = group.first;
          found.split.reversed = agreed > straight;
        }
      }
      for (const int side : {0, 1}) {
        low.weight[side] += group.sums.weight[side];
        low.rows[side] += group.sums.rows[side];
      }
    });
    if (position == 0) return;
    found.agreed = most;
    found.split.threshold = threshold_in(gap_at(column, list, position), column, params_);
  }

  Gap gap_at(const Column& column, const SortedList& list, std::uint32_t position) const {
    const Item &below = list.items[position - 1], &above = list.items[position];
    if (column.store == Column::Store::Sorted)
      return gap_between_items(table_, column, below, above);
    return gap_between_codes(column, static_cast<std::int32_t>(below.rank),
                             static_cast<std::int32_t>(above.rank));
  }

  template <class SideOf>
  void find_branches(const NodeView<S>& view, const Column& column, const SortedList& list,
                     SideOf side_of, const SideSums& known, Found& found) const {
    std::vector<std::int32_t>& branches = found.split.branches;
    branches.assign(static_cast<std::size_t>(column.n_codes), kNoSide);
    for_each_group(view, list, side_of, [&](const Group& group) {
      if (group.sums.n_rows() == 0) return;
      const auto [first, second] = group.sums.weight;
      const std::int32_t side = first == second ? known.heavier() : group.sums.heavier();
      branches[list.items[group.first].rank] = side;
      found.agreed += group.sums.majority();
    });
    found.split.kind = NodeKind::Grouped;
  }

  std::vector<Surrogate> best(int n_columns) {
    std::vector<const Found*> order;
    for (int j = 0; j < n_columns; ++j)
      if (found_[j].is_useful()) order.push_back(&found_[j]);
    std::stable_sort(order.begin(), order.end(),
                     [](const Found* a, const Found* b) { return a->beats(*b); });
    order.resize(std::min(order.size(), static_cast<std::size_t>(params_.max_surrogates)));
    std::vector<Surrogate> result;
    for (const Found* found : order) {
      const auto part = [](std::int64_t of, std::int64_t all) {
        return static_cast<double>(of) / static_cast<double>(all);
      };
      result.push_back(found->split);
      result.back().agreement = part(found->agreed, found->total);
      result.back().adjusted =
          part(found->agreed - found->majority, found->total - found->majority);
    }
    return result;
  }

  static constexpr std::uint32_t kLeastRows = 2;    // on either side of a threshold
  static constexpr std::size_t kSmallNode = 10000;  // threads would take longer to start

  const TrainingTable& table_;
  const Params& params_;
  Team* team_;
  std::vector<Scratch> scratch_;  // by thread
  std::vector<Found> found_;      // by column
  SideSums sides_;
};

}  // namespace plaintree
