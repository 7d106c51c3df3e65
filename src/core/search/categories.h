// Categorical columns: the best multiway, one-against-the-rest or subset split.
//
// Subsets, for two classes and a gain: categories ordered by their share of one class, and cut;
// By Breiman's theorem the best subset is among these. For more classes, or ratios, or where
// the minimum size of a branch rules some of these cuts out, every partition is tried up to
// `exhaustive_categories` categories; above that categories are ordered by the share of each class
// in turn (of the twenty of largest weight) and the best cut of all these orders is taken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/better.h"
#include "search/candidate.h"
#include "search/count/value_counts.h"
#include "search/cuts.h"

namespace plaintree {

// The first branch of a subset is its lighter side, so that categories without rows in the node go
// with the heavier one; equal sides: the one with the lowest category.
template <class Count>
std::vector<std::int32_t> lighter_side(const ValueCounts<Count>& values,
                                       std::span<const std::int32_t> positions) {
  std::vector<char> inside(values.size(), 0);
  Count weight = 0;
  for (const std::int32_t i : positions) {
    inside[i] = 1;
    weight += values.totals[i];
  }
  const Count other = values.known_total - weight;
  const bool swap = weight > other || (weight == other && !inside[0]);
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((inside[i] != 0) != swap) codes.push_back(values.codes[i]);
  return codes;
}

template <class Count>
class CategorySearch {
 public:
  CategorySearch(const MeasureOf<Count>& measure, const ValueCounts<Count>& values)
      : measure_(measure),
        params_(*measure.params),
        values_(values),
        scorer_(measure, values.known.data(), values.known_total, values.missing.data(),
                values.missing_total),
        room_(4 * static_cast<std::size_t>(measure.n_classes)),
        low_(room_.data(), measure.n_classes),
        high_(low_.data() + measure.n_classes, measure.n_classes),
        best_low_(high_.data() + measure.n_classes, measure.n_classes),
        best_high_(best_low_.data() + measure.n_classes, measure.n_classes) {}

  // The one category that is there against the missing values, if these have their own branch.
  // Other categories of the column have branches without rows, as everywhere.
  Candidate against_missing(int n_codes) {
    Candidate result;
    if (!separates_missing(params_, values_.known_total, values_.missing_total) ||
        !is_enough(measure_, values_.known_size()) || !measure_.allows(values_.row(0)) ||
        !allows_missing())
      return result;
    const std::int32_t code = values_.codes[0];
    result.valid = true;
    result.score = scorer_.score(measure_.information(values_.row(0), values_.known_total),
                                 measure_.x_log_x_of(values_.known_total));
    result.kind = kind_of(n_codes);
    if (result.kind == NodeKind::Equals) result.code = code;
    if (result.kind == NodeKind::Subset) result.subset = {code};
    if (result.kind == NodeKind::Grouped) {
      result.subset.assign(n_codes, 1);
      result.subset[code] = 0;
    }
    return result;
  }

  Candidate best() {
    if (values_.size() < 2 || !allows_missing()) return {};
    switch (params_.categorical) {
      case Categorical::Multiway:
      case Categorical::Grouped:
        return multiway();
      case Categorical::OneVsRest:
        return one_against_rest();
      default:
        return subset();
    }
  }

  // A category against the rest or a set of categories, drawn by a key. A set has each category
  // with probability one half; if it has all of them or none, one changes sides.
  Candidate drawn(std::uint64_t key) {
    if (!allows_missing()) return {};
    const auto n = static_cast<std::uint32_t>(values_.size());
    const std::uint32_t one = below(mix(key, 0), n);
    std::vector<char> inside(n, 0);
    if (params_.categorical == Categorical::OneVsRest)
      inside[one] = 1;
    else
      draw_set(key, one, inside);
    GroupSize<Count> size;
    best_positions_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!inside[i]) continue;
      add(static_cast<std::int32_t>(i));
      size += values_.size_of(i);
      best_positions_.push_back(static_cast<std::int32_t>(i));
    }
    if (!consider(size)) return {};
    best_.kind = kind_of(0);
    if (best_.kind == NodeKind::Equals) best_.code = values_.codes[one];
    if (best_.kind == NodeKind::Subset)
      best_.subset = lighter_side<Count>(values_, best_positions_);
    return best_;
  }

 private:
  void draw_set(std::uint64_t key, std::uint32_t one, std::vector<char>& inside) const {
    std::uint32_t n_inside = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const auto code = static_cast<std::uint64_t>(values_.codes[i]);
      n_inside += inside[i] = static_cast<char>(mix(key, code + 1) >> 63);
    }
    if (n_inside == 0 || n_inside == inside.size()) inside[one] ^= 1;
  }
  bool allows_missing() const {
    return !separates_missing(params_, values_.known_total, values_.missing_total) ||
           measure_.allows(values_.missing.data());
  }
  NodeKind kind_of(int n_codes) const {
    switch (params_.categorical) {
      case Categorical::OneVsRest:
        return NodeKind::Equals;
      case Categorical::Subset:
        return NodeKind::Subset;
      case Categorical::Grouped:
        return n_codes > 2 ? NodeKind::Grouped : NodeKind::Multiway;
      case Categorical::Multiway:
        break;
    }
    return NodeKind::Multiway;
  }

  Candidate multiway() {
    int enough = 0;
    double information = 0, x_log_x = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!measure_.allows(values_.row(i))) return {};
      enough += is_enough(measure_, values_.size_of(i));
      information += measure_.information(values_.row(i), values_.totals[i]);
      if (scorer_.needs_split_info()) x_log_x += measure_.x_log_x_of(values_.totals[i]);
    }
    const int needed = params_.every_branch ? static_cast<int>(values_.size()) : 2;
    Candidate result;
    if (enough < needed) return result;
    result.valid = true;
    result.kind = NodeKind::Multiway;
    result.score = scorer_.score(information, x_log_x);
    return result;
  }

  Candidate one_against_rest() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::copy_n(values_.row(i), measure_.n_classes, low_.begin());
      if (consider(values_.size_of(i))) {
        best_.kind = NodeKind::Equals;
        best_.code = values_.codes[i];
      }
    }
    return best_;
  }

  Candidate subset() {
    const bool ordered = !SumsOf<Count>::kClasses || measure_.n_classes_of_table == 2;
    const bool theorem =
        ordered && !is_ratio(params_.criterion) && concavity(params_.criterion) != Concave::No;
    const bool few = values_.size() <= static_cast<std::size_t>(params_.exhaustive_categories);
    if (theorem) cuts_by_share_of(1);
    if (few && (!theorem || refused_)) {
      every_partition();
    } else if (!theorem) {
      for (const int c : heaviest_classes()) cuts_by_share_of(c);
    }
    best_.kind = NodeKind::Subset;
    if (best_.valid) best_.subset = lighter_side<Count>(values_, best_positions_);
    return best_;
  }

  // The classes to order by: with very many, those of largest weight, the first ones on ties.
  std::vector<int> heaviest_classes() const {
    constexpr std::size_t kMost = 20;
    std::vector<int> classes;
    for (int c = 0; c < measure_.n_classes; ++c)
      if (values_.known[c] > 0) classes.push_back(c);
    std::stable_sort(classes.begin(), classes.end(),
                     [&](int a, int b) { return values_.known[a] > values_.known[b]; });
    classes.resize(std::min(classes.size(), kMost));
    std::sort(classes.begin(), classes.end());
    return classes;
  }

  void cuts_by_share_of(int c) {
    order_.resize(values_.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto share = [&](std::int32_t i) {
      return Fraction{static_cast<WideInt>(values_.row(i)[c]),
                      static_cast<WideInt>(values_.totals[i])};
    };
    std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      return compare(share(a), share(b)) < 0;
    });
    std::fill(low_.begin(), low_.end(), Count(0));
    GroupSize<Count> size;
    for (std::size_t k = 0; k + 1 < order_.size(); ++k) {
      add(order_[k]);
      size += values_.size_of(order_[k]);
      if (consider(size)) best_positions_.assign(order_.begin(), order_.begin() + k + 1);
    }
  }

  void every_partition() {
    const std::size_t last = values_.size() - 1;  // always on the other side
    for (std::uint32_t set = 1; set < (1u << last); ++set) {
      std::fill(low_.begin(), low_.end(), Count(0));
      GroupSize<Count> size;
      for (std::size_t i = 0; i < last; ++i) {
        if (!(set >> i & 1)) continue;
        add(static_cast<std::int32_t>(i));
        size += values_.size_of(i);
      }
      if (!consider(size)) continue;
      best_positions_.clear();
      for (std::size_t i = 0; i < last; ++i)
        if (set >> i & 1) best_positions_.push_back(static_cast<std::int32_t>(i));
    }
  }

  void add(std::int32_t i) {
    const Count* row = values_.row(static_cast<std::size_t>(i));
    for (int c = 0; c < measure_.n_classes; ++c) low_[c] += row[c];
  }

  // Scores the test that sends the rows counted in low_ one way; true if it is the best so far.
  bool consider(const GroupSize<Count>& low) {
    const GroupSize<Count> high = values_.known_size() - low;
    const Count low_total = low.weight, high_total = high.weight;
    if (low_total <= 0 || high_total <= 0 || !is_enough(measure_, low) ||
        !is_enough(measure_, high)) {
      refused_ = true;
      return false;
    }
    for (int c = 0; c < measure_.n_classes; ++c) high_[c] = values_.known[c] - low_[c];
    if (!measure_.allows(low_.data()) || !measure_.allows(high_.data())) {
      refused_ = true;
      return false;
    }
    const double information = measure_.information(low_.data(), low_total) +
                               measure_.information(high_.data(), high_total);
    const double x_log_x = scorer_.needs_split_info()
                               ? measure_.x_log_x_of(low_total) + measure_.x_log_x_of(high_total)
                               : 0.0;
    const Score score = scorer_.score(information, x_log_x);
    const Sides<Count> sides{low_.data(), high_.data(), low_total, high_total, measure_.n_classes};
    if (best_.valid &&
        !is_better(params_, false, sides, score.value, best_sides(), best_.score.value))
      return false;
    best_.valid = true;
    best_.score = score;
    std::copy(low_.begin(), low_.end(), best_low_.begin());
    std::copy(high_.begin(), high_.end(), best_high_.begin());
    best_low_total_ = low_total;
    return true;
  }

  Sides<Count> best_sides() const {
    return {best_low_.data(), best_high_.data(), best_low_total_,
            values_.known_total - best_low_total_, measure_.n_classes};
  }

  const MeasureOf<Count>& measure_;
  const Params& params_;
  const ValueCounts<Count>& values_;
  Scorer<Count> scorer_;
  std::vector<Count> room_;  // one allocation for these four
  std::span<Count> low_, high_, best_low_, best_high_;
  Count best_low_total_ = 0;
  std::vector<std::int32_t> order_, best_positions_;
  bool refused_ = false;  // some split had a branch below the minimum
  Candidate best_;
};

}  // namespace plaintree
