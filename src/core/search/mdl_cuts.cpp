// From block to block only the classes of that block change their part of the entropy. The parts
// are rounded to integers, grains, before they are added up: a sum is a function of the class
// weights, however it came about.
#include "search/mdl_cuts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "base/team.h"
#include "stats/criterion.h"
#include "stats/weight_units.h"

namespace plaintree {
namespace {

using Units = std::int64_t;
using Grains = std::int64_t;

constexpr double kTie = 1e-12;  // bits per row by which a cut must be better than a lower one
constexpr double kLargestTable = 1 << 22;

// The weights of the runs as integers: as they are if they are integers and few, otherwise in a
// unit in which their sums are exact.
struct RunWeights {
  std::vector<Units> of;
  double unit = 1.0;
  bool few_rows;  // all sums fit into a table

  explicit RunWeights(std::span<const double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto whole = [](double weight) { return weight == std::floor(weight); };
    few_rows = total < kLargestTable && std::all_of(weights.begin(), weights.end(), whole);
    const WeightUnits units(weights, weights.size());
    if (!few_rows) unit = units.unit();
    for (const double weight : weights)
      of.push_back(few_rows ? static_cast<Units>(weight) : std::max<Units>(units.of(weight), 1));
  }
};

// x log2 x of numbers of rows, from a table.
class TabledBits {
 public:
  explicit TabledBits(Units most) {
    const double largest = XLogX::compute(static_cast<double>(most)) + 1;
    grain_ = std::ldexp(1.0, std::ilogb(largest) - 60);
    for (Units n = 0; n <= most; ++n)
      table_.push_back(std::llrint(XLogX::compute(static_cast<double>(n)) / grain_));
  }
  void begin(Units) {}
  Grains operator()(Units n) const { return table_[n]; }
  // A number of bits per row of a stretch of so many rows.
  double grains(double bits_per_row, Units rows) const {
    return bits_per_row * static_cast<double>(rows) / grain_;
  }

 private:
  double grain_;
  std::vector<Grains> table_;
};

// x log2 x of shares in the weight of a stretch.
class ComputedBits {
 public:
  void begin(Units whole) { whole_ = static_cast<double>(whole); }
  Grains operator()(Units n) const {
    return std::llrint(XLogX::compute(static_cast<double>(n) / whole_) * kGrains);
  }
  double grains(double bits_per_row, Units) const { return bits_per_row * kGrains; }

 private:
  static constexpr double kGrains = 0x1p55;
  double whole_ = 1;
};

struct Stretch {
  std::int64_t begin, end;
};
struct Cut {
  std::int64_t block;
  bool pays;
};

template <class Bits>
class Cutter {
 public:
  Cutter(const BlockRuns& runs, const RunWeights& weights, bool mdl, Bits bits)
      : runs_(runs),
        weights_(weights),
        mdl_(mdl),
        bits_(std::move(bits)),
        whole_(runs.n_classes, 0),
        below_(runs.n_classes, 0),
        part_(runs.n_classes, 0),
        after_(runs.n_blocks()) {}

  std::vector<std::int64_t> cuts(Watch& watch) {
    std::vector<std::int64_t> chosen;
    std::vector<Stretch> waiting{{0, runs_.n_blocks()}};
    while (!waiting.empty()) {
      watch.poll();
      const Stretch stretch = waiting.back();
      waiting.pop_back();
      if (stretch.end - stretch.begin < 2) continue;
      const Cut cut = best_cut(stretch);
      if (!cut.pays) continue;
      chosen.push_back(cut.block);
      waiting.push_back({stretch.begin, cut.block + 1});
      waiting.push_back({cut.block + 1, stretch.end});
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  Cut best_cut(const Stretch& stretch) {
    weigh(stretch);
    bits_.begin(total_);
    const Grains least = score(stretch);
    // A few grains: every class has been rounded.
    const double tie =
        bits_.grains(kTie, total_) + 4.0 + 2.0 * static_cast<double>(present_.size());
    std::int64_t best = stretch.begin;
    while (static_cast<double>(after_[best] - least) > tie) ++best;
    Grains before = bits_(total_);
    for (const std::int32_t c : present_) before -= bits_(whole_[c]);
    const auto saved = static_cast<double>(before - after_[best]);
    double cost = 0;
    if (mdl_) cost = bits_.grains(cost_of(stretch, best) / weight(total_), total_);
    for (const std::int32_t c : present_) whole_[c] = below_[c] = 0;
    return {best, saved > cost + tie};
  }

  // The weight of a stretch and of each of its classes.
  void weigh(const Stretch& stretch) {
    present_.clear();
    total_ = 0;
    for (std::int64_t i = runs_.begins[stretch.begin]; i < runs_.begins[stretch.end]; ++i) {
      const std::int32_t c = runs_.classes[i];
      if (whole_[c] == 0) present_.push_back(c);
      whole_[c] += weights_.of[i];
      total_ += weights_.of[i];
    }
  }

  // Writes the entropy after a cut behind each block but the last one, and returns the least.
  Grains score(const Stretch& stretch) {
    Grains classes = 0;
    for (const std::int32_t c : present_) classes += part_[c] = bits_(whole_[c]);
    Grains least = std::numeric_limits<Grains>::max();
    Units low = 0;
    for (std::int64_t b = stretch.begin; b + 1 < stretch.end; ++b) {
      for (std::int64_t i = runs_.begins[b]; i < runs_.begins[b + 1]; ++i) {
        const std::int32_t c = runs_.classes[i];
        below_[c] += weights_.of[i];
        low += weights_.of[i];
        const Grains part = bits_(below_[c]) + bits_(whole_[c] - below_[c]);
        classes += part - part_[c];
        part_[c] = part;
      }
      after_[b] = bits_(low) + bits_(total_ - low) - classes;
      least = std::min(least, after_[b]);
    }
    return least;
  }

  // The bits that describing a cut takes.
  double cost_of(const Stretch& stretch, std::int64_t block) {
    for (const std::int32_t c : present_) below_[c] = 0;
    for (std::int64_t i = runs_.begins[stretch.begin]; i < runs_.begins[block + 1]; ++i)
      below_[runs_.classes[i]] += weights_.of[i];
    const auto shown = [&](auto weight_of) {
      Units sum = 0;
      double n = 0, bits = 0;
      for (const std::int32_t c : present_) sum += weight_of(c);
      for (const std::int32_t c : present_) {
        const double share = static_cast<double>(weight_of(c)) / static_cast<double>(sum);
        n += share > 0;
        bits -= XLogX::compute(share);
      }
      return n * bits;
    };
    const double drop = shown([&](std::int32_t c) { return whole_[c]; }) -
                        shown([&](std::int32_t c) { return below_[c]; }) -
                        shown([&](std::int32_t c) { return whole_[c] - below_[c]; });
    const auto k = static_cast<double>(present_.size());
    const double partitions =
        k * std::log2(3.0) + std::log1p(-2 * std::pow(3.0, -k)) / std::log(2.0);
    return std::log2(std::max(weight(total_) - 1, 1.0)) + partitions - drop;  // of 3^k - 2
  }

  double weight(Units units) const { return static_cast<double>(units) * weights_.unit; }

  const BlockRuns& runs_;
  const RunWeights& weights_;
  const bool mdl_;
  Bits bits_;
  std::vector<std::int32_t> present_;  // the classes of the stretch
  std::vector<Units> whole_, below_;   // by class, zero between stretches
  std::vector<Grains> part_, after_;   // by class, by block
  Units total_ = 0;
};

}  // namespace

std::vector<std::int64_t> chosen_cuts(const BlockRuns& runs, bool mdl,
                                      std::function<bool()> interrupted) {
  Watch watch(std::move(interrupted));
  const RunWeights weights(runs.weights);
  if (!weights.few_rows) return Cutter(runs, weights, mdl, ComputedBits()).cuts(watch);
  const Units total = std::accumulate(weights.of.begin(), weights.of.end(), Units(0));
  return Cutter(runs, weights, mdl, TabledBits(total)).cuts(watch);
}

}  // namespace plaintree
