// Categorical columns: many-way tests whose branches are groups of categories (C4.5's -s).
//
//   1. every category with more than half a row in the node is a group; the rest are set aside
//   2. groups of one and the same class are merged
//   3. while more than two groups are left, the pair whose merger scores best is merged, as long as
//      the score rises; pairs that keep half of the first gain come before those that do not
//   4. categories set aside get a branch of their own
// With fewer than two groups of the least weight, or under plain gain, merging goes on regardless;
// with fewer than three the largest group is left alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/candidate.h"
#include "search/count/value_counts.h"

namespace plaintree {

template <class Count>
class GroupSearch {
 public:
  GroupSearch(const Measure& measure, const ValueCounts<Count>& values, int n_codes)
      : measure_(measure),
        params_(*measure.params),
        values_(values),
        scorer_(measure, values.known.data(), values.known_total, values.missing.data(),
                values.missing_total),
        n_codes_(n_codes),
        merger_{.counts = std::vector<Count>(measure.n_classes)} {}

  Candidate best() {
    start();
    merge_pure();
    Merit merit = merit_of(sums_of_groups(kOne));
    const double half = merit.gain / 2;
    while (groups_.size() > 2) {
      const int enough = n_heavy(params_.min_samples_branch);
      const Pair pair = best_pair(half, enough);
      const bool free = ratio() && enough >= 2;
      if (free && (pair.second == 0 || pair.merit.value < merit.value + 1e-5)) break;
      if (pair.second == 0) break;
      merge(pair.first, pair.second);
      merit = pair.merit;
    }
    if (merit.value <= 0) return {};
    return candidate(merit);
  }

 private:
  static constexpr double kOne = 1.0;  // during the search a group needs no more than one row

  struct Group {
    std::vector<std::int32_t> codes;
    std::vector<Count> counts;
    Count total = 0;
    double information = 0, x_log_x = 0;
  };
  struct Merit {
    double gain = -kEpsilon, split_info = 0, value = -kEpsilon;
  };
  struct Sums {
    double information = 0, x_log_x = 0;
    Count total = 0;
    int n_heavy = 0;
  };
  struct Pair {
    std::size_t first = 0, second = 0;  // second is 0: there is none
    Merit merit;
  };

  bool ratio() const { return params_.criterion == Criterion::GainRatio; }

  void start() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (measure_.weight(values_.totals[i]) <= 0.5) continue;
      Group group;
      group.codes = {values_.codes[i]};
      group.counts.assign(values_.row(i), values_.row(i) + measure_.n_classes);
      group.total = values_.totals[i];
      weigh(group);
      groups_.push_back(std::move(group));
    }
  }
  void weigh(Group& group) const {
    group.information = measure_.information(group.counts.data(), group.total);
    group.x_log_x = measure_.x_log_x_of(group.total);
  }

  void merge_pure() {
    constexpr double kNearly = 0.1;
    const auto is_all_of = [&](const Group& group, int c) {
      return measure_.weight(group.counts[c]) >= measure_.weight(group.total) - kNearly;
    };
    for (std::size_t i = 0; i + 1 < groups_.size(); ++i) {
      int c = 0;
      while (c + 1 < measure_.n_classes && measure_.weight(groups_[i].counts[c]) < kNearly) ++c;
      if (!is_all_of(groups_[i], c)) continue;
      for (std::size_t j = i + 1; j < groups_.size();) {
        if (is_all_of(groups_[j], c))
          merge(i, j);
        else
          ++j;
      }
    }
  }

  // Group j joins group i, and the last group takes its place.
  void merge(std::size_t i, std::size_t j) {
    Group& into = groups_[i];
    Group& from = groups_[j];
    into.codes.insert(into.codes.end(), from.codes.begin(), from.codes.end());
    for (int c = 0; c < measure_.n_classes; ++c) into.counts[c] += from.counts[c];
    into.total += from.total;
    weigh(into);
    if (j + 1 < groups_.size()) from = std::move(groups_.back());
    groups_.pop_back();
  }

  int n_heavy(double least) const {
    int n = 0;
    for (const Group& group : groups_) n += measure_.weight(group.total) >= least;
    return n;
  }

  Pair best_pair(double half, int enough) {
    std::size_t barred = groups_.size();
    if (enough < 3) {
      barred = 0;
      for (std::size_t i = 1; i < groups_.size(); ++i)
        if (groups_[i].total > groups_[barred].total) barred = i;
    }
    const Sums all = sums_of_groups(kOne);
    Pair best;
    best.merit = {-kEpsilon, 0, 0};
    for (std::size_t i = 0; i + 1 < groups_.size(); ++i) {
      for (std::size_t j = i + 1; j < groups_.size(); ++j) {
        if (i == barred || j == barred) continue;
        const bool none = best.second == 0;
        const bool forced = none && (!ratio() || enough < 2);
        weigh_merger(i, j);
        if (!forced && is_hopeless(i, j, all, best.merit, half)) continue;
        const Merit merit = merit_of_merger(i, j);
        const bool keeps_more = merit.gain >= half && best.merit.gain < half;
        if (keeps_more || merit.value >= best.merit.value || forced) best = {i, j, merit};
      }
    }
    return best;
  }

  void weigh_merger(std::size_t i, std::size_t j) {
    merger_.total = groups_[i].total + groups_[j].total;
    for (int c = 0; c < measure_.n_classes; ++c)
      merger_.counts[c] = groups_[i].counts[c] + groups_[j].counts[c];
    weigh(merger_);
  }
  // Whether a merger is worse than the best so far by more than rounding explains, from the sums of
  // all groups less its parts. Only mergers that may be as good are summed up group by group.
  bool is_hopeless(std::size_t i, std::size_t j, Sums sums, const Merit& best, double half) const {
    constexpr double kRounding = 1e-9;
    const Group &a = groups_[i], &b = groups_[j];
    const auto is_heavy = [&](const Group& g) { return measure_.weight(g.total) >= kOne; };
    sums.information += merger_.information - a.information - b.information;
    sums.x_log_x += merger_.x_log_x - a.x_log_x - b.x_log_x;
    sums.n_heavy += is_heavy(merger_) - is_heavy(a) - is_heavy(b);
    const Merit merit = merit_of(sums);
    const auto far_below = [](double x, double y) {
      return std::isfinite(y) && x < y - kRounding * std::max(1.0, std::fabs(y));
    };
    // Near a limit of a ratio rounding may decide whether there is a value at all.
    const bool at_limit =
        std::fabs(merit.gain) < kRounding || std::fabs(merit.split_info - kEpsilon) < kRounding ||
        merit.split_info < kRounding || scorer_.remaining(sums.information) < kRounding;
    const bool may_keep_more = !far_below(merit.gain, half) && !far_below(half, best.gain);
    return !at_limit && !may_keep_more && far_below(merit.value, best.value);
  }

  Merit merit_of_merger(std::size_t i, std::size_t j) const {
    const auto& [codes, counts, total, information, x_log_x] = merger_;
    Sums sums;
    const std::size_t last = groups_.size() - 1;
    for (std::size_t g = 0; g < last; ++g) {
      const Group& group = g == j ? groups_[last] : groups_[g];
      const bool here = g == i;
      sums.information += here ? information : group.information;
      sums.x_log_x += here ? x_log_x : group.x_log_x;
      const Count weight = here ? total : group.total;
      sums.total += weight;
      sums.n_heavy += measure_.weight(weight) >= kOne;
    }
    return merit_of(sums);
  }
  Sums sums_of_groups(double least) const {
    Sums sums;
    for (const Group& group : groups_) {
      sums.information += group.information;
      sums.x_log_x += group.x_log_x;
      sums.total += group.total;
      sums.n_heavy += measure_.weight(group.total) >= least;
    }
    return sums;
  }
  Merit merit_of(Sums sums) const {
    Merit merit;
    if (values_.missing_total > 0) {
      sums.x_log_x += measure_.x_log_x_of(values_.missing_total);
      sums.total += values_.missing_total;
    }
    if (sums.n_heavy >= 2) merit.gain = scorer_.gain(sums.information);
    merit.split_info = (measure_.x_log_x_of(sums.total) - sums.x_log_x) / scorer_.node_weight();
    if (ratio() && merit.gain >= 0 && merit.split_info > kEpsilon)
      merit.value = merit.gain / merit.split_info;
    if (!ratio() && merit.gain > -kEpsilon && merit.split_info > 0)
      merit.value =
          scorer_.value(merit.gain, merit.split_info, scorer_.remaining(sums.information));
    return merit;
  }

  Candidate candidate(const Merit& found) const {
    Candidate result;
    if (n_heavy(params_.min_samples_branch) < 2) return result;
    result.valid = true;
    result.kind = NodeKind::Grouped;
    result.score = {found.gain, found.split_info, found.value};
    std::vector<std::int32_t> branch(n_codes_, -1);
    std::int32_t n = 0;
    for (const Group& group : groups_) {
      for (const std::int32_t code : group.codes) branch[code] = n;
      ++n;
    }
    bool aside = false;
    for (std::int32_t& b : branch) {
      if (b >= 0) continue;
      b = n;
      aside = true;
    }
    result.n_branches = n + aside;
    result.subset = std::move(branch);
    return result;
  }

  const Measure& measure_;
  const Params& params_;
  const ValueCounts<Count>& values_;
  Scorer<Count> scorer_;
  const int n_codes_;
  std::vector<Group> groups_;
  Group merger_;  // the one being weighed
};

}  // namespace plaintree
