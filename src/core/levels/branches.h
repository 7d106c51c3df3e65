// What a split does, from counts alone: how many children, what they weigh, where missing rows go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grow/missing_rules.h"
#include "levels/found_split.h"
#include "stats/criterion.h"

namespace plaintree {

template <class Count>
struct Branches {
  std::uint32_t n_branches = 2;  // of the split
  bool extra = false;            // one more for missing rows
  std::int32_t missing_child = -1;
  std::vector<std::int32_t> missing;  // see BlockSplit
  std::vector<double> shares;
  std::vector<std::int32_t> of_category;  // by code
  // Of the children; where missing rows are divided, of the known rows only.
  std::vector<Count> sums;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint32_t> times;

  std::uint32_t n_children() const { return n_branches + extra; }
  bool divides() const { return !shares.empty(); }
  const Count* sums_of(std::uint32_t branch, int width) const {
    return sums.data() + static_cast<std::size_t>(branch) * static_cast<std::size_t>(width);
  }
};

// The branch of a category; of the positions of a number, that of the threshold between them.
inline std::uint32_t branch_of_code(const Candidate& candidate, std::int32_t code) {
  switch (candidate.kind) {
    case NodeKind::Threshold:
      return code > candidate.code;
    case NodeKind::Multiway:
      return static_cast<std::uint32_t>(code);
    case NodeKind::Grouped:
      return static_cast<std::uint32_t>(candidate.subset[code]);
    case NodeKind::Equals:
      return code != candidate.code;
    case NodeKind::Subset:
    case NodeKind::Leaf:
      break;
  }
  return !std::binary_search(candidate.subset.begin(), candidate.subset.end(), code);
}

template <class Count>
class Branching {
 public:
  // `n_codes`: of a categorical column; 0: a number.
  Branching(const MeasureOf<Count>& measure, const FoundSplit<Count>& found, std::int32_t n_codes)
      : measure_(measure),
        params_(*measure.params),
        found_(found),
        n_codes_(n_codes),
        width_(measure.n_classes) {}

  Branches<Count> find() {
    const Candidate& candidate = found_.candidate;
    b_.n_branches = static_cast<std::uint32_t>(
        candidate.kind == NodeKind::Multiway ? n_codes_ : candidate.n_branches);
    b_.extra = found_.missing_rows.all > 0 && params_.missing == Missing::Branch;
    b_.sums.assign(static_cast<std::size_t>(b_.n_children()) * width_, 0);
    b_.rows.assign(b_.n_children(), 0);
    b_.times.assign(b_.n_children(), 0);
    const ValueCounts<Count>& values = found_.values;
    for (std::size_t i = 0; i < values.size(); ++i)
      add(branch_of_code(candidate, values.codes[i]), values.row(i), found_.rows[i],
          values.rows[i]);
    for (std::int32_t code = 0; code < n_codes_; ++code)
      b_.of_category.push_back(static_cast<std::int32_t>(branch_of_code(candidate, code)));
    send_missing();
    return std::move(b_);
  }

 private:
  void add(std::uint32_t branch, const Count* sums, std::uint64_t rows, std::uint32_t times) {
    for (int c = 0; c < width_; ++c)
      b_.sums[branch * static_cast<std::size_t>(width_) + c] += sums[c];
    b_.rows[branch] += rows;
    b_.times[branch] += times;
  }

  void send_missing() {
    switch (params_.missing) {
      case Missing::MostCommon:
      case Missing::MostCommonInClass:
        return impute();
      case Missing::Branch:
        b_.missing_child = b_.extra ? static_cast<std::int32_t>(b_.n_branches)
                                    : heaviest_branch(b_.sums.data(), b_.n_branches, width_);
        if (b_.extra) add_missing_to(b_.n_branches);
        b_.missing = {b_.missing_child};
        return;
      case Missing::Fractional:
        if (found_.missing_rows.all > 0)
          b_.shares = shares_of_branches(measure_, b_.sums.data(), b_.n_branches, width_);
        return;
      case Missing::Error:
      case Missing::Surrogate:
        return;
    }
  }
  void add_missing_to(std::uint32_t branch) {
    std::uint32_t times = 0;
    for (const std::uint32_t n : found_.values.missing_rows) times += n;
    add(branch, found_.values.missing.data(), found_.missing_rows.all, times);
  }
  void impute() {
    std::vector<std::uint32_t> common(1 + static_cast<std::size_t>(width_), 0);
    if (n_codes_ > 0)
      find_modes(
          found_.values, [&](std::int32_t code) { return branch_of_code(found_.candidate, code); },
          common);
    else
      find_middles(b_.sums.data(), b_.sums.data() + width_, width_, common);
    b_.missing_child = static_cast<std::int32_t>(common[0]);
    b_.missing = {b_.missing_child};
    if (params_.missing == Missing::MostCommon || !SumsOf<Count>::kClasses)
      return add_missing_to(common[0]);
    b_.missing.assign(common.begin() + 1, common.end());
    if (found_.missing_rows.all > 0) add_missing_by_class(common);
  }
  // Rows are counted by class where they are not their weights.
  void add_missing_by_class(const std::vector<std::uint32_t>& common) {
    const ValueCounts<Count>& values = found_.values;
    std::vector<Count> own(static_cast<std::size_t>(width_), 0);
    for (int c = 0; c < width_; ++c) {
      own.assign(static_cast<std::size_t>(width_), 0);
      own[c] = values.missing[c];
      add(common[1 + c], own.data(), found_.missing_rows.of_class[c], values.missing_rows[c]);
    }
  }

  const MeasureOf<Count>& measure_;
  const Params& params_;
  const FoundSplit<Count>& found_;
  const std::int32_t n_codes_;
  const int width_;
  Branches<Count> b_;
};

}  // namespace plaintree
