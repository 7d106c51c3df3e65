// Criteria: the scores of splits.
//
//   information  weight times impurity of a group of rows; additive over groups. For entropy
//                n log n - sum c log c, for Gini n - sum c^2/n, for error n - max c
//   gain         (information of the node - information of the branches) / weight
//   score        what columns are compared by: the gain, or one of its ratios
//
// Scores are pure functions of class weights, computed from scratch for every candidate and never
// updated, so that they depend neither on the order of rows nor on the way a count was made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/logarithm.h"
#include "base/params.h"
#include "stats/sums.h"

namespace plaintree {

// x log2 x, from a table where x is a small integer.
class XLogX {
 public:
  explicit XLogX(std::size_t most = 0) : table_(std::min<std::size_t>(most + 1, kLargest)) {
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = compute(static_cast<double>(i));
  }
  double of_count(std::uint64_t n) const {
    return n < table_.size() ? table_[n] : compute(static_cast<double>(n));
  }
  // Zero for what is not positive.
  static double compute(double x) { return x <= 0 ? 0.0 : x * binary_log(x); }

 private:
  static constexpr std::size_t kLargest = std::size_t(1) << 22;
  std::vector<double> table_;
};

// What is true of a criterion. Every criterion has its line, and the compiler asks for those of a
// new one (-Werror=switch).
inline bool needs_logarithms(Criterion criterion) {
  switch (criterion) {
    case Criterion::InformationGain:
    case Criterion::GainRatio:
    case Criterion::GainRatioConditional:
      return true;
    case Criterion::Gini:
    case Criterion::Error:
    case Criterion::SquaredError:
    case Criterion::AbsoluteError:
    case Criterion::Poisson:
      return false;
  }
  return false;
}
inline bool is_ratio(Criterion criterion) {
  switch (criterion) {
    case Criterion::GainRatio:
    case Criterion::GainRatioConditional:
      return true;
    case Criterion::InformationGain:
    case Criterion::Gini:
    case Criterion::Error:
    case Criterion::SquaredError:
    case Criterion::AbsoluteError:
    case Criterion::Poisson:
      return false;
  }
  return false;
}
// Strictly: the best cut lies where the class changes. Weakly: subsets of two classes can be found
// by ordering categories.
enum class Concave { No, Weakly, Strictly };
inline Concave concavity(Criterion criterion) {
  switch (criterion) {
    case Criterion::InformationGain:
    case Criterion::GainRatio:
    case Criterion::GainRatioConditional:
    case Criterion::Gini:
      return Concave::Strictly;
    case Criterion::Error:
    case Criterion::SquaredError:  // of categories ordered by their mean
    case Criterion::Poisson:
      return Concave::Weakly;
    case Criterion::AbsoluteError:
      return Concave::No;
  }
  return Concave::No;
}

struct Measure {  // everything scoring needs that does not change during a fit
  const Params* params;
  int n_classes;
  double unit;
  const XLogX* x_log_x;
  int n_classes_of_table = n_classes;

  // The same for groups that are summed up in so many of the classes: the others are not there.
  Measure of_classes(std::size_t n) const {
    Measure result = *this;
    result.n_classes = static_cast<int>(n);
    return result;
  }

  bool entropy() const { return needs_logarithms(params->criterion); }
  // Whether the best cut lies where the class changes: true of gains, not of ratios.
  bool convex() const {
    return concavity(params->criterion) == Concave::Strictly &&
           (params->threshold_by_gain || !is_ratio(params->criterion));
  }

  template <class Count>
  double weight(Count count) const {
    return static_cast<double>(count) * unit;
  }
  template <class Count>
  double x_log_x_of(Count count) const {
    if constexpr (std::is_same_v<Count, std::int32_t>)
      return x_log_x->of_count(static_cast<std::uint64_t>(count));
    else
      return XLogX::compute(weight(count));
  }

  // What categories are ordered by: the share of a class.
  template <class Count>
  double share(const Count* counts, Count total, int of_class) const {
    return weight(counts[of_class]) / weight(total);
  }
  // Whether a branch may be such a group.
  template <class Count>
  bool allows(const Count* /*counts*/) const {
    return true;
  }

  // Weight times impurity of a group with these class counts.
  template <class Count>
  double information(const Count* counts, Count total) const {
    if (total <= 0) return 0.0;
    if (entropy()) {
      double sum = 0;
      for (int c = 0; c < n_classes; ++c) sum += x_log_x_of(counts[c]);
      return x_log_x_of(total) - sum;
    }
    const double n = weight(total);
    if (params->criterion == Criterion::Error)
      return n - weight(*std::max_element(counts, counts + n_classes));
    double squares = 0;
    for (int c = 0; c < n_classes; ++c) {
      const double w = weight(counts[c]);
      squares += w * w;
    }
    return n - squares / n;
  }
};

struct Score {
  double gain = -kEpsilon;
  double split_info = 0;
  double value = -kInfinity;
};

// Scores the tests of one column at one node.
template <class Count>
class Scorer {
 public:
  // `known`: class counts of the rows that take part; `missing`: of those that do not (under
  // Missing::Fractional and Missing::Surrogate), or that have a branch of their own (under
  // Missing::Branch).
  Scorer(const MeasureOf<Count>& measure, const Count* known, Count known_total,
         const Count* missing, Count missing_total)
      : measure_(measure), known_(known), known_total_(known_total), missing_total_(missing_total) {
    const bool own_branch = measure.params->missing == Missing::Branch && missing_total > 0;
    node_weight_ = measure.weight(known_total + missing_total);
    if (own_branch) {
      total_.assign(known, known + measure.n_classes);
      for (int c = 0; c < measure.n_classes; ++c) total_[c] += missing[c];
      base_ = measure.information(total_.data(), known_total + missing_total) / node_weight_;
      missing_information_ = measure.information(missing, missing_total);
      divisor_ = node_weight_;
      share_ = 1.0;
    } else {
      divisor_ = measure.weight(known_total);
      base_ = measure.information(known, known_total) / divisor_;
      share_ = missing_total > 0 ? 1.0 - measure.weight(missing_total) / node_weight_ : 1.0;
    }
  }

  double share() const { return share_; }  // of the known rows
  double node_weight() const { return node_weight_; }
  Count known_total() const { return known_total_; }
  Count missing_total() const { return missing_total_; }
  const Count* known() const { return known_; }

  double gain(double information_of_branches) const {
    return share_ * (base_ - remaining(information_of_branches));
  }
  // How much less is gained for what branches leave open, and how much if that is nothing.
  double gain_per_information() const { return share_ / divisor_; }
  double gain_of_all() const { return share_ * base_; }
  double remaining(double information_of_branches) const {
    return (information_of_branches + missing_information_) / divisor_;
  }
  // The entropy of the branches' weights; missing rows are one more outcome.
  double split_info(double sum_x_log_x_of_branches) const {
    double sum = sum_x_log_x_of_branches;
    if (missing_total_ > 0) sum += measure_.x_log_x_of(missing_total_);
    const Count all = known_total_ + missing_total_;
    return (measure_.x_log_x_of(all) - sum) / node_weight_;
  }
  bool needs_split_info() const { return measure_.params->criterion == Criterion::GainRatio; }

  // The criterion's value for a gain, and what the branches leave open.
  double value(double gain, double split_info, double remaining) const {
    switch (measure_.params->criterion) {
      case Criterion::GainRatio:
        return split_info > 0 ? gain / split_info : -kInfinity;
      case Criterion::GainRatioConditional: {
        const double open = share_ * remaining;
        return open > 1e-12 ? gain / open : gain > 0 ? kInfinity : -kInfinity;
      }
      default:
        return gain;
    }
  }
  Score score(double information_of_branches, double sum_x_log_x_of_branches) const {
    Score result;
    result.gain = gain(information_of_branches);
    if (needs_split_info()) result.split_info = split_info(sum_x_log_x_of_branches);
    result.value = value(result.gain, result.split_info, remaining(information_of_branches));
    return result;
  }

 private:
  const MeasureOf<Count>& measure_;
  const Count* known_;
  Count known_total_, missing_total_;
  std::vector<Count> total_;
  double node_weight_, base_, divisor_, share_;
  double missing_information_ = 0;
};

}  // namespace plaintree
