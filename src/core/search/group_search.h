// Categorical columns: many-way tests whose branches are groups of categories (C4.5's -s).
//
//   1. every category with more than half a row in the node is a group; the rest are set aside
//   2. groups of one and the same class are merged
//   3. while more than two groups are left, the pair whose merger scores best is merged, as long as
//      the score rises; pairs that keep half of the first gain come before those that do not
//   4. categories set aside get a branch of their own
// While groups are too small (fewer than two are large enough, or not all, by the rule for
// branches), or under plain gain, merging goes on regardless; with fewer than three that are large
// enough the largest group is left alone.
//
// C4.5 leaves out of the score what is open in the branch set aside. A numeric target, of which
// C4.5 knows nothing, has it counted: the score is the decrease of impurity. Groups that no branch
// may be, zeros by Poisson deviance, join the group of the least mean instead of step 2.
//
// Every pair's merger is weighed once and kept in a table. After a merger only pairs of the group
// that has grown are weighed again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/candidate.h"
#include "search/cuts.h"

namespace plaintree {

template <class Count>
class GroupSearch {
 public:
  GroupSearch(const MeasureOf<Count>& measure, const ValueCounts<Count>& values, int n_codes)
      : measure_(measure),
        params_(*measure.params),
        values_(values),
        scorer_(measure, values.known.data(), values.known_total, values.missing.data(),
                values.missing_total),
        n_codes_(n_codes),
        merged_counts_(measure.n_classes) {}

  Candidate best() {
    start();
    if constexpr (SumsOf<Count>::kClasses)
      merge_pure();
    else
      merge_not_allowed();
    weigh_pairs();
    Merit merit = merit_of(sums_of_groups(kOne));
    const double half = merit.gain / 2;
    while (groups_.size() > 2) {
      const int enough = n_enough();
      const bool free = ratio() && suffices(enough);
      const Pair pair = best_pair(half, enough, free);
      if (free && (pair.second == 0 || pair.merit.value < merit.value + 1e-5)) break;
      if (pair.second == 0) break;
      merge(pair.first, pair.second);
      weigh_pairs_again(pair.first, pair.second);
      merit = pair.merit;
    }
    if (merit.value <= 0) return {};
    return candidate(merit);
  }

 private:
  static constexpr double kOne = 1.0;  // during the search a group needs no more than one row

  struct Weighed {
    double information = 0, x_log_x = 0;
  };
  struct Group : Weighed {
    std::vector<std::int32_t> codes;
    std::vector<Count> counts;
    Count total = 0;
    std::uint32_t rows = 0;  // where they are counted
  };
  struct Merit {
    double gain = -kEpsilon, split_info = 0, value = -kEpsilon;
  };
  struct Sums {
    double information = 0, x_log_x = 0;
    int n_heavy = 0;
  };
  // A number that falls short of zero where a merger falls short of something: linear in what the
  // merger adds to the sums of all groups.
  struct Line {
    double constant, information, x_log_x;

    bool is_below(const Weighed& more) const {
      return constant + information * more.information + x_log_x * more.x_log_x < 0;
    }
  };
  // Mergers that are worse than another one by more than rounding explains. Only the rest are
  // summed up group by group.
  struct Hopeless {
    bool any;          // otherwise there are none
    bool any_gain;     // whatever they gain; otherwise only those that lose half of the first gain
    Line value, gain;  // against the other one's value, and half of the first gain

    bool holds(const Weighed& merger, const Weighed& a, const Weighed& b) const {
      const Weighed more{merger.information - a.information - b.information,
                         merger.x_log_x - a.x_log_x - b.x_log_x};
      return any && value.is_below(more) && (any_gain || gain.is_below(more));
    }
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
      group.rows = values_.rows[i];
      weigh(group);
      groups_.push_back(std::move(group));
    }
    Count total = values_.missing_total;
    for (const Group& group : groups_) total += group.total;
    x_log_x_of_all_ = measure_.x_log_x_of(total);
    x_log_x_of_missing_ = measure_.x_log_x_of(values_.missing_total);
    sum_up_aside();
  }
  void sum_up_aside() {
    aside_counts_ = values_.known;
    aside_ = values_.known_size();
    for (const Group& group : groups_) {
      for (int c = 0; c < measure_.n_classes; ++c) aside_counts_[c] -= group.counts[c];
      aside_ = aside_ - size_of(group);
    }
    if constexpr (!SumsOf<Count>::kClasses)
      aside_information_ = measure_.information(aside_counts_.data(), aside_.weight);
  }
  Weighed weighed(const Count* counts, Count total) const {
    return {measure_.information(counts, total), measure_.x_log_x_of(total)};
  }
  void weigh(Group& group) const {
    static_cast<Weighed&>(group) = weighed(group.counts.data(), group.total);
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

  void merge_not_allowed() {
    const auto allowed = [&](const Group& group) { return measure_.allows(group.counts.data()); };
    const auto value = [](const Group& group) {
      return value_of(group.counts.data(), group.total);
    };
    std::size_t least = groups_.size();
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (allowed(groups_[i]) &&
          (least == groups_.size() || compare(value(groups_[i]), value(groups_[least])) < 0))
        least = i;
    if (least == groups_.size()) return;
    for (std::size_t i = groups_.size(); i-- > 0;) {
      if (allowed(groups_[i])) continue;
      merge(least, i);  // the last group, which is looked at already, takes its place
      if (least == groups_.size()) least = i;
    }
  }

  // Group j joins group i, and the last group takes its place.
  void merge(std::size_t i, std::size_t j) {
    Group& into = groups_[i];
    Group& from = groups_[j];
    into.codes.insert(into.codes.end(), from.codes.begin(), from.codes.end());
    for (int c = 0; c < measure_.n_classes; ++c) into.counts[c] += from.counts[c];
    into.total += from.total;
    into.rows += from.rows;
    weigh(into);
    if (j + 1 < groups_.size()) from = std::move(groups_.back());
    groups_.pop_back();
  }

  static GroupSize<Count> size_of(const Group& group) { return {group.total, group.rows}; }
  int n_enough() const {
    int n = 0;
    for (const Group& group : groups_) n += is_enough(measure_, size_of(group));
    return n;
  }
  // Whether so many groups that are large enough are all that the rule for branches asks for.
  bool suffices(int n_enough) const {
    return params_.every_branch ? n_enough == static_cast<int>(groups_.size()) : n_enough >= 2;
  }
  // Categories set aside have a branch, if they have rows.
  bool aside_is_enough() const { return aside_.weight == 0 || is_enough(measure_, aside_); }
  bool are_allowed() const {
    const bool separates = separates_missing(params_, values_.known_total, values_.missing_total);
    return (aside_.weight == 0 || measure_.allows(aside_counts_.data())) &&
           (!separates || measure_.allows(values_.missing.data())) &&
           std::all_of(groups_.begin(), groups_.end(),
                       [&](const Group& group) { return measure_.allows(group.counts.data()); });
  }

  Pair best_pair(double half, int enough, bool free) {
    std::size_t barred = groups_.size();
    if (enough < 3) {
      barred = 0;
      for (std::size_t i = 1; i < groups_.size(); ++i)
        if (groups_[i].total > groups_[barred].total) barred = i;
    }
    const Sums all = sums_of_groups(kOne);
    Pair best;
    best.merit = {-kEpsilon, 0, 0};
    Hopeless hopeless = worse_than(best.merit, all, half);
    for (std::size_t i = 0; i + 1 < groups_.size(); ++i) {
      for (std::size_t j = i + 1; j < groups_.size(); ++j) {
        if (i == barred || j == barred) continue;
        const bool none = best.second == 0;
        const bool forced = none && !free;
        const Weighed merger = stride_ > 0 ? pairs_[i * stride_ + j] : weigh_merger(i, j);
        if (!forced && hopeless.holds(merger, groups_[i], groups_[j])) continue;
        const Merit merit = merit_of_merger(i, j, merger);
        const bool keeps_more = merit.gain >= half && best.merit.gain < half;
        if (!keeps_more && merit.value < best.merit.value && !forced) continue;
        best = {i, j, merit};
        hopeless = worse_than(merit, all, half);
      }
    }
    return best;
  }

  // A merger that has no value counts as -kEpsilon, so the other one's must be above that.
  Hopeless worse_than(const Merit& other, const Sums& all, double half) const {
    constexpr double kRounding = 1e-9;
    const double value = other.value, margin = kRounding * (1 + std::fabs(value));
    const double gain = scorer_.gain(all.information), slope = -scorer_.gain_per_information();
    Line line{gain - value + margin, slope, 0};
    if (ratio()) {
      const double per_weight = value / scorer_.node_weight();
      const double missing = values_.missing_total > 0 ? x_log_x_of_missing_ : 0;
      line.constant = gain - per_weight * (x_log_x_of_all_ - all.x_log_x - missing) + margin;
      line.x_log_x = per_weight;
    } else if (params_.criterion == Criterion::GainRatioConditional) {
      line.constant = (1 + value) * gain - value * scorer_.gain_of_all() + margin;
      line.information = (1 + value) * slope;
    }
    return {value >= 0 && std::isfinite(value),
            other.gain >= half,
            line,
            {gain - half + kRounding, slope, 0}};
  }

  Weighed weigh_merger(std::size_t i, std::size_t j) {
    for (int c = 0; c < measure_.n_classes; ++c)
      merged_counts_[c] = groups_[i].counts[c] + groups_[j].counts[c];
    return weighed(merged_counts_.data(), groups_[i].total + groups_[j].total);
  }
  void weigh_pairs() {
    constexpr std::size_t kMostGroups = 2048;  // the table of more would be too large
    stride_ = groups_.size() > 2 && groups_.size() <= kMostGroups ? groups_.size() : 0;
    pairs_.resize(stride_ * stride_);
    for (std::size_t i = 0; i < stride_; ++i)
      for (std::size_t j = i + 1; j < stride_; ++j) pairs_[i * stride_ + j] = weigh_merger(i, j);
  }
  // After group j has joined group i (see merge): the last group has its number now.
  void weigh_pairs_again(std::size_t i, std::size_t j) {
    if (stride_ == 0) return;
    const auto pair = [&](std::size_t a, std::size_t b) -> Weighed& {
      return pairs_[std::min(a, b) * stride_ + std::max(a, b)];
    };
    const std::size_t last = groups_.size();
    for (std::size_t k = 0; k < last && j < last; ++k)
      if (k != j) pair(j, k) = pair(last, k);
    for (std::size_t k = 0; k < last; ++k)
      if (k != i) pair(i, k) = weigh_merger(i, k);
  }
  Merit merit_of_merger(std::size_t i, std::size_t j, const Weighed& merger) const {
    const Count total = groups_[i].total + groups_[j].total;
    Sums sums{aside_information_};
    const std::size_t last = groups_.size() - 1;
    for (std::size_t g = 0; g < last; ++g) {
      const Group& group = g == j ? groups_[last] : groups_[g];
      const bool here = g == i;
      sums.information += here ? merger.information : group.information;
      sums.x_log_x += here ? merger.x_log_x : group.x_log_x;
      sums.n_heavy += measure_.weight(here ? total : group.total) >= kOne;
    }
    return merit_of(sums);
  }
  Sums sums_of_groups(double least) const {
    Sums sums{aside_information_};
    for (const Group& group : groups_) {
      sums.information += group.information;
      sums.x_log_x += group.x_log_x;
      sums.n_heavy += measure_.weight(group.total) >= least;
    }
    return sums;
  }
  Merit merit_of(Sums sums) const {
    Merit merit;
    if (values_.missing_total > 0) sums.x_log_x += x_log_x_of_missing_;
    if (sums.n_heavy >= 2) merit.gain = scorer_.gain(sums.information);
    merit.split_info = (x_log_x_of_all_ - sums.x_log_x) / scorer_.node_weight();
    if (ratio() && merit.gain >= 0 && merit.split_info > kEpsilon)
      merit.value = merit.gain / merit.split_info;
    if (!ratio() && merit.gain > -kEpsilon && merit.split_info > 0)
      merit.value =
          scorer_.value(merit.gain, merit.split_info, scorer_.remaining(sums.information));
    return merit;
  }

  Candidate candidate(const Merit& found) const {
    Candidate result;
    if (groups_.size() < 2 || !suffices(n_enough())) return result;
    if (params_.every_branch && !aside_is_enough()) return result;
    if (!are_allowed()) return result;
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

  const MeasureOf<Count>& measure_;
  const Params& params_;
  const ValueCounts<Count>& values_;
  Scorer<Count> scorer_;
  const int n_codes_;
  std::vector<Group> groups_;
  std::vector<Count> aside_counts_, merged_counts_;
  GroupSize<Count> aside_;
  double aside_information_ = 0;
  double x_log_x_of_all_ = 0, x_log_x_of_missing_ = 0;
  std::vector<Weighed> pairs_;  // mergers of groups i < j, at i * stride_ + j
  std::size_t stride_ = 0;      // 0: there is no table
};

}  // namespace plaintree
