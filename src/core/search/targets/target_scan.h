// Squared error: the best cuts of a sorted list, found without looking at most of them twice.
//
// With deviations d from the mean of its w known rows, a cut with weight wl and sum e of d on the
// low side removes
//     e^2 * w / (wl * wh)
// of their squared error. Deviations are rounded to 32 bits once for a node (RoundedTargets).
//   1. The rows are summed up in blocks, with the least and the greatest sum on the way.
//   2. Only blocks whose extremes could be as good as the best end of a block, or as the bound of
//      the node, are looked at cut by cut. Mostly these are a few in a hundred.
// Cuts that remove as much as the best one, but for rounding, are found; CutSearch decides.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/large_pages.h"
#include "search/cuts.h"
#include "search/node_view.h"

namespace plaintree {

// The deviation of each row of a node from its mean, times the row's weight if rows have weights.
class RoundedTargets {
 public:
  using View = NodeView<TargetSums>;

  void round(const View& view) {
    make_room(of_row_, view.table.n_rows);
    const auto centre = static_cast<std::int64_t>(view.measure.centre);
    const double rest = static_cast<double>(view.sums[1] - view.measure.centre * view.total) /
                        static_cast<double>(view.total);
    const auto deviation = [&](Entry entry) {
      return static_cast<double>(view.statistics.target_of(entry) - centre) - rest;
    };
    double most = static_cast<double>(view.measure.range);
    if (view.weight_of) {
      most = 1;
      for (const Entry* e = view.begin(); e != view.end(); ++e)
        most = std::max(most, std::fabs(deviation(*e) * static_cast<double>(view.weight(*e))));
    }
    const double scale = std::ldexp(1.0, kBits - 1 - std::ilogb(most));
    std::int32_t* to = of_row_.data();
    const EntryBits bits = view.table;
    if (view.weight_of)
      for (const Entry* e = view.begin(); e != view.end(); ++e)
        to[bits.row(*e)] = rounded(deviation(*e) * static_cast<double>(view.weight(*e)) * scale);
    else
      for (const Entry* e = view.begin(); e != view.end(); ++e)
        to[bits.row(*e)] = rounded(deviation(*e) * scale);
    const double summands = static_cast<double>(view.weight_of ? view.size() : view.total);
    error = kError * summands;
    const double unit = view.measure.target_unit / scale;
    squares_per_weight = view.impurity / (unit * unit);
  }
  const std::int32_t* of_row() const { return of_row_.data(); }

  double error = 0;               // of a sum, at most
  double squares_per_weight = 0;  // squared error

 private:
  static constexpr int kBits = 30;
  static constexpr double kError = 0.51;

  static std::int32_t rounded(double x) {  // without a branch
    constexpr std::int64_t kOffset = std::int64_t(1) << 32;
    return static_cast<std::int32_t>(static_cast<std::int64_t>(x + (kOffset + 0.5)) - kOffset);
  }

  std::vector<std::int32_t> of_row_;
};

// Rows of a sorted list, and all before them.
struct TargetBlock {
  std::int64_t sum = 0, least = 0, most = 0;  // after its last row, and the extremes on the way
  std::int64_t weight = 0;
  std::uint32_t rows = 0;  // where rows have weights
};

// The cuts of a column of which one is the best.
struct TargetCuts {
  std::vector<std::uint32_t> positions;  // ascending
  double least = 0, most = 0;            // what the best one removes
};

class TargetScan {
 public:
  using View = NodeView<TargetSums>;

  // Whether cuts are judged by nothing but what they remove.
  static bool fits(const Params& params) {
    return params.criterion == Criterion::SquaredError && params.min_separation <= 0 &&
           !params.threshold_penalty;
  }

  TargetScan(const View& view, const RoundedTargets& targets, const Item* items,
             std::uint32_t n_known, const KnownAndMissing<WideInt>& counts,
             std::vector<TargetBlock>& blocks, TargetCuts& cuts)
      : view_(view),
        targets_(targets),
        items_(items),
        n_known_(n_known),
        known_(static_cast<double>(counts.known_total)),
        known_rows_(counts.known_rows),
        least_side_(least_side(*view.measure.params, view.measure.weight(counts.known_total), 1)),
        error_(targets.error),
        near_(4 * kNear * targets.squares_per_weight * known_),
        blocks_(blocks),
        cuts_(cuts) {}

  void run() {
    cuts_.positions.clear();
    cuts_.most = 0;
    if (view_.bound > 0 && n_known_ == view_.size())
      least_ = view_.bound * targets_.squares_per_weight * known_ - near_;
    if (view_.weight_of)
      scan<Rows::Weighted>();
    else if (view_.table.repeat_bits > 0)
      scan<Rows::Repeated>();
    else
      scan<Rows::Single>();
    cuts_.least = least_ + near_;
  }

 private:
  enum class Rows { Single, Repeated, Weighted };
  static constexpr std::uint32_t kBlock = 16;

  template <Rows kRows>
  void scan() {
    sum_up<kRows>();
    expect_best_end();
    std::uint32_t begin = 0;
    TargetBlock before;
    for (const TargetBlock& block : blocks_) {
      if (reaches(before.weight, block)) look_inside<kRows>(begin, before);
      before = block;
      begin += kBlock;
    }
  }

  template <Rows kRows>
  void add(Entry entry, TargetBlock& to) const {
    // Without repetitions an entry is a row: numeric targets have no class in it.
    const std::uint32_t row = kRows == Rows::Single ? entry : view_.table.row(entry);
    const std::int64_t own = targets_.of_row()[row];
    if constexpr (kRows == Rows::Single) {
      to.sum += own;
      to.weight += 1;
    } else if constexpr (kRows == Rows::Repeated) {
      const std::int64_t times = view_.table.times(entry);
      to.sum += own * times;
      to.weight += times;
    } else {
      to.sum += own;
      to.weight += view_.weight(entry);
      to.rows += view_.rows_in(entry);
    }
  }

  template <Rows kRows>
  void sum_up() {
    blocks_.resize((n_known_ + kBlock - 1) / kBlock);
    TargetBlock block;
    std::uint32_t i = 0;
    for (TargetBlock& to : blocks_) {
      const std::uint32_t end = std::min(i + kBlock, n_known_);
      add<kRows>(items_[i].entry, block);
      block.least = block.most = block.sum;
      for (++i; i < end; ++i) {
        add<kRows>(items_[i].entry, block);
        block.least = std::min(block.least, block.sum);
        block.most = std::max(block.most, block.sum);
      }
      to = block;
    }
    // Of known rows only: that of the node is zero.
    mean_ = n_known_ == view_.size() ? 0.0 : static_cast<double>(block.sum) / known_;
  }

  // Cuts between blocks raise the bound.
  void expect_best_end() {
    double above = 0, below = 1;
    for (std::size_t b = 0; b + 1 < blocks_.size(); ++b) {
      const auto weight = static_cast<double>(blocks_[b].weight);
      const double sum = std::max(0.0, std::fabs(from_mean(blocks_[b].sum, weight)) - error_);
      const double squared = sum * sum * known_, sides = weight * (known_ - weight);
      if (squared * below <= above * sides) continue;
      const auto position = static_cast<std::uint32_t>((b + 1) * kBlock);
      if (ties(position) || !admissible(weight, blocks_[b].rows)) continue;
      above = squared;
      below = sides;
    }
    if (above > 0) least_ = std::max(least_, above / below - near_);
  }

  // May a cut in this block be as good as the best one?
  bool reaches(std::int64_t weight_before, const TargetBlock& block) const {
    const auto first = static_cast<double>(weight_before);
    const auto last = static_cast<double>(block.weight);
    const double sides = std::min(first * (known_ - first), last * (known_ - last));
    double sum = 0;
    for (const double weight : {first, last})
      for (const std::int64_t extreme : {block.least, block.most})
        sum = std::max(sum, std::fabs(from_mean(extreme, weight)));
    sum += error_;
    return sum * sum * known_ >= least_ * sides;
  }

  template <Rows kRows>
  void look_inside(std::uint32_t begin, TargetBlock low) {
    const std::uint32_t end = std::min(begin + kBlock, n_known_ - 1);
    for (std::uint32_t i = begin; i < end; ++i) {
      add<kRows>(items_[i].entry, low);
      const auto weight = static_cast<double>(low.weight);
      const double from = std::fabs(from_mean(low.sum, weight)), perhaps = from + error_;
      const double sides = weight * (known_ - weight);
      if (perhaps * perhaps * known_ < least_ * sides || ties(i + 1) ||
          !admissible(weight, low.rows))
        continue;
      consider(i + 1, std::max(0.0, from - error_), perhaps, known_ / sides);
    }
  }

  // `least_` is what a cut must remove to be of interest: as much as the best, but for rounding.
  void consider(std::uint32_t position, double surely, double perhaps, double factor) {
    const double removed = surely * surely * factor;
    if (removed > cuts_.most + near_) cuts_.positions.clear();
    cuts_.positions.push_back(position);
    cuts_.most = std::max(cuts_.most, perhaps * perhaps * factor);
    least_ = std::max(least_, removed - near_);
  }

  double from_mean(std::int64_t sum, double weight) const {
    return static_cast<double>(sum) - mean_ * weight;
  }
  bool ties(std::uint32_t position) const {
    return items_[position - 1].rank == items_[position].rank;
  }
  // As CutSearch has it.
  bool admissible(double low, std::uint32_t rows) const {
    const double unit = view_.measure.unit;
    const std::uint32_t least_rows = view_.measure.params->min_branch_rows;
    return low * unit >= least_side_ && (known_ - low) * unit >= least_side_ &&
           (least_rows == 0 || (rows >= least_rows && known_rows_ - rows >= least_rows));
  }

  const View& view_;
  const RoundedTargets& targets_;
  const Item* items_;
  const std::uint32_t n_known_;
  const double known_;  // weight, in units
  const std::uint32_t known_rows_;
  const double least_side_, error_, near_;
  double mean_ = 0;  // of the known rows, rounded like them
  double least_ = -1;
  std::vector<TargetBlock>& blocks_;
  TargetCuts& cuts_;
};

}  // namespace plaintree
