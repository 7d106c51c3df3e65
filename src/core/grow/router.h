// Sending a node's rows to the branches of its split, and summing up what arrives.
//
// A missing value goes, by policy, to the branch of the most common value (of the node, or of the
// row's class), to a branch of its own, in shares to every branch that has known rows, or where the
// first surrogate split sends it that knows the row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "grow/missing_rules.h"
#include "grow/partition.h"
#include "search/general.h"
#include "search/surrogates.h"
#include "stats/chi_square.h"
#include "stats/selection.h"

namespace plaintree {

template <Statistics S>
class Router {
 public:
  using Count = typename S::Sum;
  using Weight = typename S::Weight;

  Router(const TrainingTable& table, const S& statistics, const MeasureOf<Count>& measure,
         Team* team)
      : table_(table),
        statistics_(statistics),
        params_(*measure.params),
        measure_(measure),
        width_(statistics.width()),
        surrogate_search_(table, *measure.params, team) {
    routing.bits.resize(table.n_rows / 64 + 1);
  }

  // Routes all rows of a node; the public fields say where they went.
  void route(const NodeView<S>& view, const Column& column, const Candidate& candidate) {
    n_branches = candidate.kind == NodeKind::Multiway ? column.n_codes : candidate.n_branches;
    n_missing = n_staying = 0;
    extra_branch = false;
    shared.clear();
    surrogates.clear();
    if (column.has_missing) n_missing = count_missing(view, column);
    extra_branch = n_missing > 0 && params_.missing == Missing::Branch && !is_given_child();
    const bool may_divide_or_stay =
        params_.missing == Missing::Fractional || params_.missing == Missing::Surrogate;
    routing.two_way = n_branches == 2 && !extra_branch && !(n_missing > 0 && may_divide_or_stay);
    if (!routing.two_way) routing.branches.resize(table_.n_rows);
    const std::uint32_t n = n_branches + extra_branch;
    branch_counts.assign(static_cast<std::size_t>(n) * width_, 0);
    branch_rows.assign(n, 0);
    branch_times.assign(view.has_times() ? n : 0, 0);
    summed_ = n_missing == 0 && take_sums(view, candidate);
    if (column.store == Column::Store::Sorted)
      route_sorted(view, column, candidate);
    else
      route_coded(view, column, candidate);
  }

  // The most frequent case, written for speed: a cut, no lists but the entries of the node, which
  // are moved at once (low ones first, each side in its old order), and nothing missing, or else
  // missing rows that follow the middle value.
  void cut(const NodeView<S>& view, const Column& column, const Candidate& candidate,
           Entry* entries) {
    n_branches = 2;
    n_missing = n_staying = 0;
    extra_branch = false;
    shared.clear();
    routing.two_way = true;
    const std::uint32_t n = view.size();
    if (others_.size() < n) others_.resize(n);
    std::uint32_t n_low = 0;
    view.codes.with_codes(column, n, [&](auto code_of) {
      const EntryBits bits = table_;
      if (column.has_missing) find_middle(view, column, candidate, code_of);
      // Codes are not negative: where missing rows are not low, no code is `missing`.
      const std::int32_t missing = n_missing > 0 && low_has_middle_ ? column.n_codes : -1;
      const auto is_low = [=, last = candidate.code](std::uint32_t, Entry entry) {
        const std::int32_t code = code_of(bits.row(entry));
        return (code <= last) | (code == missing);
      };
      if (!candidate.upper_codes) {
        n_low = divide(entries, n, is_low);
        return;
      }
      const std::int32_t last = candidate.code >> view.codes.lower_bits(column, n);
      n_low = divide(entries, n, [=, uppers = candidate.upper_codes](std::uint32_t i, Entry entry) {
        return uppers[i] == last ? is_low(i, entry) : uppers[i] < last;
      });
    });
    branch_rows.assign({n_low, n - n_low});
    // Only the smaller side is counted: the other one has the rest.
    const bool smaller = n_low > n - n_low;
    branch_counts.assign(2 * static_cast<std::size_t>(width_), 0);
    Count* few = branch_counts.data() + (smaller ? width_ : 0);
    Count* many = branch_counts.data() + (smaller ? 0 : width_);
    if (n_missing > 0 || !take_sums(view, candidate)) {
      const Entry* begin = entries + (smaller ? n_low : 0);
      view.for_each(begin, begin + branch_rows[smaller],
                    [few, statistics = statistics_](Entry entry, Weight weight) {
                      statistics.add(few, entry, weight);
                    });
      for (int c = 0; c < width_; ++c) many[c] = view.sums[c] - few[c];
    }
    branch_times.assign(view.has_times() ? 2 : 0, 0);
    for (std::uint32_t i = 0; view.has_times() && i < n; ++i)
      branch_times[i >= n_low] += view.rows_in(entries[i]);
    const Count surplus = view.total - 2 * statistics_.weight(few);
    const bool remembers =
        params_.missing != Missing::Fractional && params_.missing != Missing::Error;
    const bool high = smaller ? surplus < 0 : surplus > 0;
    missing_child = remembers ? high : -1;
    if (n_missing > 0) missing_child = !low_has_middle_;
  }

  // The branch of a row of the node; kEveryBranch if it is divided, kNowhere if it stays.
  std::uint32_t branch_of_row(std::uint32_t row) const {
    return routing.two_way ? routing.second(row) : routing.branches[row];
  }
  std::uint32_t n_children() const { return n_branches + extra_branch; }
  std::span<const Count> counts_of(std::uint32_t branch) const {
    return {&branch_counts[static_cast<std::size_t>(branch) * width_],
            static_cast<std::size_t>(width_)};
  }

  // What a divided row of this weight counts in a branch.
  Weight share(Weight weight, std::uint32_t branch) const {
    return static_cast<Weight>(std::llrint(static_cast<double>(weight) * shares_[branch]));
  }

  // Does the test of branches x classes reach the level asked for?
  bool significant(const Selection& from) const {
    return !is_tested() || p_value(from) <= params_.significance;
  }
  bool is_tested() const { return params_.significance < 1 && SumsOf<Count>::kClasses; }
  double p_value(const Selection& from) const {
    std::vector<double> table;
    for (const Count c : scored_counts()) table.push_back(measure_.weight(c));
    return params_.adjusted_significance ? adjusted_p(table, width_, from)
                                         : chi_square_p(table, width_);
  }
  // The sums of the branches that the split is judged by. Rows divided over branches, or sent by
  // surrogates, say nothing about it: only known ones count.
  const std::vector<Count>& scored_counts() const {
    const bool known_only = !shared.empty() || params_.missing == Missing::Surrogate;
    return known_only ? known_branch_counts_ : branch_counts;
  }

  Routing routing;
  // The branch that missing rows are to have, of a split that was given; -1: the policy decides.
  std::int32_t given_child = -1;
  std::uint32_t n_branches = 0;  // of the test
  bool extra_branch = false;     // one more for missing rows
  std::uint32_t n_missing = 0;   // rows
  std::uint32_t n_staying = 0;   // of these, rows that go to no branch
  std::int32_t missing_child = -1;
  std::vector<Count> branch_counts;        // children x width of the statistics
  std::vector<std::uint32_t> branch_rows;  // of the children
  // Likewise, each row as often as it was drawn; empty: once.
  std::vector<std::uint32_t> branch_times;
  std::vector<std::uint32_t> shared;  // branches that get a share of divided rows
  std::vector<Surrogate> surrogates;
  // Under Missing::Surrogate, of a categorical column: the branch of every category; -1: no row of
  // the node has it.
  std::vector<std::int32_t> groups;

 private:
  // Whether there are missing rows, and whether the known ones have their middle (lower median) on
  // the low side of a cut.
  template <class CodeOf>
  void find_middle(const NodeView<S>& view, const Column& column, const Candidate& candidate,
                   CodeOf code_of) {
    if (candidate.n_missing >= 0) {
      n_missing = static_cast<std::uint32_t>(candidate.n_missing);
      low_has_middle_ = candidate.middle_code <= candidate.code;
      return;
    }
    Count surplus = 0;
    view.for_each(view.begin(), view.end(), [&](Entry entry, Weight weight) {
      const std::int32_t code = code_of(table_.row(entry));
      if (code == column.n_codes)
        ++n_missing;
      else
        surplus += code <= candidate.code ? Count(weight) : -Count(weight);
    });
    low_has_middle_ = surplus >= 0;
  }

  // What the finder has summed up is not summed up again. That took 4 % of the time of a regression
  // tree of 200,000 x 10 floats, and 17 % of one of 1,000,000 rows to depth 6.
  bool take_sums(const NodeView<S>& view, const Candidate& candidate) {
    if constexpr (SumsOf<Count>::kClasses) {
      return false;
    } else {
      if (candidate.kind != NodeKind::Threshold || candidate.low_weight == 0) return false;
      branch_counts = {candidate.low_weight, candidate.low_sum, view.sums[0] - candidate.low_weight,
                       view.sums[1] - candidate.low_sum};
      return true;
    }
  }

  // Stable: entries of the low side first. Returns how many these are.
  template <class IsLow>
  std::uint32_t divide(Entry* entries, std::uint32_t n, IsLow is_low) {
    Entry* others = others_.data();
    std::uint32_t n_low = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const Entry entry = entries[i];
      entries[n_low] = entry;
      others[i - n_low] = entry;
      n_low += is_low(i, entry);
    }
    std::copy_n(others, n - n_low, entries + n_low);
    return n_low;
  }

  std::uint32_t count_missing(const NodeView<S>& view, const Column& column) const {
    if (column.store == Column::Store::Sorted) {
      const Item* items = view.list_of(column);
      return view.size() - count_known(items, view.size(), kMissingRank);
    }
    std::uint32_t n = 0;
    view.codes.with_codes(column, view.size(), [&](auto code_of) {
      for (const Entry* e = view.begin(); e != view.end(); ++e)
        n += code_of(table_.row(*e)) == column.n_codes;
    });
    return n;
  }

  void route_sorted(const NodeView<S>& view, const Column& column, const Candidate& candidate) {
    const Item* items = view.list_of(column);
    const std::uint32_t n = view.size(), n_known = n - n_missing;
    if (summed_ && !view.has_times()) {
      for (std::uint32_t i = 0; i < n; ++i)
        routing.set_two_way(table_.row(items[i].entry), i >= candidate.position);
      branch_rows = {candidate.position, n - candidate.position};
      find_middles();
      return route_missing(view, column, [](auto /*visit*/) {});
    }
    for (std::uint32_t i = 0; i < candidate.position; ++i) send(view, items[i].entry, 0);
    for (std::uint32_t i = candidate.position; i < n_known; ++i) send(view, items[i].entry, 1);
    find_middles();
    route_missing(view, column, [&](auto visit) {
      for (std::uint32_t i = n_known; i < n; ++i) visit(items[i].entry);
    });
  }

  void route_coded(const NodeView<S>& view, const Column& column, const Candidate& candidate) {
    if (candidate.kind == NodeKind::Subset) {
      in_subset_.resize(std::max<std::size_t>(in_subset_.size(), column.n_codes + 1));
      for (const std::int32_t code : candidate.subset) in_subset_[code] = 1;
    }
    const auto branch_of = [&](std::int32_t code) -> std::uint32_t {
      switch (candidate.kind) {
        case NodeKind::Threshold:
          return code > candidate.code;
        case NodeKind::Multiway:
          return static_cast<std::uint32_t>(code);
        case NodeKind::Grouped:
          return static_cast<std::uint32_t>(candidate.subset[code]);
        case NodeKind::Equals:
          return code != candidate.code;
        default:
          return !in_subset_[code];
      }
    };
    view.codes.with_codes(column, view.size(), [&](auto code_of) {
      if (candidate.kind == NodeKind::Threshold && n_missing == 0)
        return cut_in_two(view, candidate.code, code_of);
      for (const Entry* e = view.begin(); e != view.end(); ++e) {
        const std::int32_t code = code_of(table_.row(*e));
        if (code < column.n_codes) send(view, *e, branch_of(code));
      }
    });
    if (params_.missing == Missing::Surrogate && !column.numeric)
      note_groups(view, column, branch_of);
    const auto visit_missing = [&](auto visit) {
      if (n_missing == 0) return;
      view.codes.with_codes(column, view.size(), [&](auto code_of) {
        for (const Entry* e = view.begin(); e != view.end(); ++e)
          if (code_of(table_.row(*e)) == column.n_codes) visit(*e);
      });
    };
    const bool by_mode = !column.numeric && (params_.missing == Missing::MostCommon ||
                                             params_.missing == Missing::MostCommonInClass);
    if (by_mode) {
      values_of(view, column, scratch_);
      find_modes(scratch_.values, branch_of, common_);
    } else {
      find_middles();
    }
    route_missing(view, column, visit_missing);
    if (candidate.kind == NodeKind::Subset)
      for (const std::int32_t code : candidate.subset) in_subset_[code] = 0;
  }

  template <class BranchOf>
  void note_groups(const NodeView<S>& view, const Column& column, BranchOf branch_of) {
    groups.assign(static_cast<std::size_t>(column.n_codes), kNoSide);
    view.codes.with_codes(column, view.size(), [&](auto code_of) {
      for (const Entry* e = view.begin(); e != view.end(); ++e) {
        const std::int32_t code = code_of(table_.row(*e));
        if (code < column.n_codes) groups[code] = static_cast<std::int32_t>(branch_of(code));
      }
    });
  }

  // The same, where lists are to be moved afterwards. Where entries have few low bits (class and
  // repetitions), rows are counted by these: they are less often the same as in the row before, and
  // need not wait for its count.
  template <class CodeOf>
  void cut_in_two(const NodeView<S>& view, std::int32_t last_low, CodeOf code_of) {
    const int tag_bits = table_.tag_bits();
    const bool by_tag = !view.weight_of && statistics_.in_entry() && tag_bits <= kFewTagBits;
    std::uint32_t n_of_tag[2 << kFewTagBits] = {};
    std::uint32_t n_second = 0, at = 0;
    std::uint64_t word = 0;
    for (const Entry* e = view.begin(); e != view.end(); ++e) {
      const std::uint32_t row = table_.row(*e);
      const std::uint32_t second = code_of(row) > last_low;
      n_second += second;
      if (by_tag)
        ++n_of_tag[second << tag_bits | (*e & ((1u << tag_bits) - 1))];
      else if (!summed_)
        view.add(&branch_counts[second * width_], *e);
      if (view.has_times()) branch_times[second] += view.rows_in(*e);
      // Bits of rows elsewhere in the tree may be overwritten: theirs are set before they are read.
      word = (row >> 6 == at ? word : 0) | std::uint64_t(second) << (row & 63);
      at = row >> 6;
      routing.bits[at] = word;
    }
    branch_rows[0] = view.size() - n_second;
    branch_rows[1] = n_second;
    for (std::uint32_t i = 0; by_tag && i < 2u << tag_bits; ++i) {
      const std::uint32_t tag = i & ((1u << tag_bits) - 1);
      if (n_of_tag[i] == 0) continue;  // there may be more tags than classes
      statistics_.add(&branch_counts[(i >> tag_bits) * width_], tag,
                      static_cast<Weight>(n_of_tag[i]) * table_.times(tag));
    }
  }
  static constexpr int kFewTagBits = 5;

  void send(const NodeView<S>& view, Entry entry, std::uint32_t branch) {
    const std::uint32_t row = table_.row(entry);
    if (routing.two_way)
      routing.set_two_way(row, branch != 0);
    else
      routing.branches[row] = branch;
    if (!summed_) view.add(&branch_counts[static_cast<std::size_t>(branch) * width_], entry);
    ++branch_rows[branch];
    if (view.has_times()) branch_times[branch] += view.rows_in(entry);
  }

  void find_middles() {
    common_.assign(1 + static_cast<std::size_t>(width_), 0);
    if (n_branches == 2)
      plaintree::find_middles(branch_counts.data(), branch_counts.data() + width_, width_, common_);
  }

  bool is_given_child() const {
    return given_child >= 0 && static_cast<std::uint32_t>(given_child) < n_branches;
  }
  // Whether missing rows go to a branch that the policy would not have sent them to.
  bool overrules_policy() const {
    if (!is_given_child() || params_.missing == Missing::Surrogate) return false;
    const bool by_class = params_.missing == Missing::MostCommonInClass;
    return !by_class || common_[0] != static_cast<std::uint32_t>(given_child);
  }

  template <class Visit>
  void route_missing(const NodeView<S>& view, const Column& column, Visit visit) {
    if (overrules_policy()) {
      missing_child = given_child;
      visit([&](Entry e) { send(view, e, static_cast<std::uint32_t>(given_child)); });
      return;
    }
    switch (params_.missing) {
      case Missing::MostCommon:
        missing_child = static_cast<std::int32_t>(common_[0]);
        visit([&](Entry e) { send(view, e, common_[0]); });
        break;
      case Missing::MostCommonInClass:
        missing_child = static_cast<std::int32_t>(common_[0]);
        if constexpr (SumsOf<Count>::kClasses)
          visit([&](Entry e) { send(view, e, common_[1 + statistics_.class_of(e)]); });
        break;
      case Missing::Branch:
        if (extra_branch) visit([&](Entry e) { send(view, e, n_branches); });
        missing_child = extra_branch ? static_cast<std::int32_t>(n_branches)
                                     : heaviest_branch(branch_counts.data(), n_branches, width_);
        break;
      case Missing::Fractional:
        missing_child = -1;
        if (n_missing > 0) share_missing(view, visit);
        break;
      case Missing::Error:
        missing_child = -1;
        break;
      case Missing::Surrogate:
        send_by_surrogates(view, column, visit);
        break;
    }
  }

  // Surrogates first; then the side to which the split itself sends more weight, or none.
  template <class Visit>
  void send_by_surrogates(const NodeView<S>& view, const Column& column, Visit visit) {
    constexpr std::int32_t kStays = -2;
    known_branch_counts_ = branch_counts;
    missing_child = kStays;
    const bool used = params_.use_surrogates != UseSurrogates::No && params_.max_surrogates > 0;
    visit([&](Entry e) { routing.branches[table_.row(e)] = kNowhere; });
    if (used) {
      surrogates = surrogate_search_.find(view, column, [this](std::uint32_t row) {
        const std::uint32_t branch = branch_of_row(row);
        return branch == kNowhere ? kNoSide : static_cast<std::int32_t>(branch);
      });
      const SideSums& sides = surrogate_search_.sides();
      const bool follows = params_.use_surrogates == UseSurrogates::OrFollow;
      if (follows && sides.weight[0] != sides.weight[1]) missing_child = sides.heavier();
    }
    if (is_given_child()) missing_child = given_child;
    visit([&](Entry e) {
      const std::int32_t branch = branch_by_surrogates(table_.row(e));
      if (branch >= 0)
        send(view, e, static_cast<std::uint32_t>(branch));
      else
        ++n_staying;
    });
  }
  std::int32_t branch_by_surrogates(std::uint32_t row) const {
    for (const Surrogate& surrogate : surrogates) {
      const std::int32_t branch =
          surrogate.branch_of(table_.columns[surrogate.attribute].view, row);
      if (branch >= 0) return branch;
    }
    return missing_child;
  }

  // A missing row goes to every branch with known rows, in proportion to their weight.
  template <class Visit>
  void share_missing(const NodeView<S>& view, Visit visit) {
    known_branch_counts_ = branch_counts;
    shares_ = shares_of_branches(measure_, branch_counts.data(), n_branches, width_);
    for (std::uint32_t b = 0; b < n_branches; ++b)
      if (shares_[b] > 0) shared.push_back(b);
    visit([&](Entry e) {
      routing.branches[table_.row(e)] = kEveryBranch;
      for (const std::uint32_t b : shared) {
        statistics_.add(&branch_counts[b * width_], e, share(view.weight(e), b));
        ++branch_rows[b];
      }
    });
  }

  const TrainingTable& table_;
  const S& statistics_;
  const Params& params_;
  const MeasureOf<Count>& measure_;
  const int width_;
  SearchScratch<Count> scratch_;
  SurrogateSearch<S> surrogate_search_;
  std::vector<Count> known_branch_counts_;  // before rows with missing values were added
  std::vector<double> shares_;
  std::vector<Entry> others_;  // of the second branch, while entries are moved
  std::vector<char> in_subset_;
  bool low_has_middle_ = false;
  bool summed_ = false;                // the finder has summed up both branches
  std::vector<std::uint32_t> common_;  // the branch of the most common value, then of each class's
};

}  // namespace plaintree
