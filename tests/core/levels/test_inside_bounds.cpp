// The bound itself: no cut inside a bucket is better than its bound, and none inside a closed
// bucket is better than the best one known. All cuts of small nodes are tried, with many ties, with
// noise alone, and where no cut gains anything.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "levels/number_search.h"
#include "stats/statistics.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

enum class Kind { Noise, Signal, Ties, NoGain };

struct Row {
  std::int32_t group;  // a class, or a target in units
  std::int64_t weight;
};

// A numeric column at a node: rows by value, ascending, and missing ones; values in buckets.
struct Node {
  int n_classes = 0;  // 0: numbers
  std::vector<std::vector<Row>> values;
  std::vector<Row> missing;
  std::vector<std::size_t> bucket_of;  // by value
};

Node random_node(std::mt19937& random, int n_classes, Kind kind, bool with_missing) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int n_groups = n_classes > 0 ? n_classes : 1 + below(12);
  const int n_values = 2 + below(24);
  Node node;
  node.n_classes = n_classes;
  std::size_t bucket = 0;
  for (int v = 0; v < n_values; ++v) {
    if (v > 0 && below(3) == 0) ++bucket;
    node.bucket_of.push_back(bucket);
    std::vector<Row>& rows = node.values.emplace_back();
    if (kind == Kind::NoGain) {  // every value has the same rows
      for (int g = 0; g < std::min(n_groups, 4); ++g) rows.push_back({g, 1});
      continue;
    }
    for (int i = kind == Kind::Ties ? 0 : below(5); i >= 0; --i) {
      const int signal = v * n_groups / n_values;
      const bool drawn = kind != Kind::Signal || below(4) == 0;
      rows.push_back({drawn ? below(kind == Kind::Ties ? std::min(2, n_groups) : n_groups) : signal,
                      kind == Kind::Ties ? 1 : 1 + below(3)});
    }
  }
  if (with_missing)
    for (int i = below(8); i >= 0; --i) node.missing.push_back({below(n_groups), 1 + below(2)});
  if (n_classes == 0) node.values[0].push_back({5, 1});  // Poisson: not all are zero
  return node;
}

template <class Count>
std::vector<Count> sums_of(const std::vector<Row>& rows, int width, int n_classes) {
  std::vector<Count> sums(static_cast<std::size_t>(width), 0);
  for (const Row& row : rows) {
    if (n_classes > 0) {
      sums[row.group] += row.weight;
    } else {
      sums[0] += row.weight;
      sums[1] += static_cast<Count>(row.group) * row.weight;
    }
  }
  return sums;
}

template <class Count>
MeasureOf<Count> measure_of(const Node& node, const Params& params, const XLogX& x_log_x) {
  if constexpr (SumsOf<Count>::kClasses) {
    return {&params, node.n_classes, 1.0, &x_log_x};
  } else {
    std::vector<Row> all = node.missing;
    for (const auto& rows : node.values) all.insert(all.end(), rows.begin(), rows.end());
    const std::vector<Count> sums = sums_of<Count>(all, 2, 0);
    return TargetMeasure{&params, 1.0, 1.0}.of_node(sums.data(), 2.5, 12);
  }
}

template <class Count>
ValueCounts<Count> counts_of(const std::vector<std::vector<Row>>& groups, const Node& node,
                             int width) {
  ValueCounts<Count> counts;
  counts.clear(width);
  for (std::size_t i = 0; i < groups.size(); ++i)
    counts.append(static_cast<std::int32_t>(i),
                  sums_of<Count>(groups[i], width, node.n_classes).data(),
                  static_cast<std::uint32_t>(groups[i].size()));
  counts.missing = sums_of<Count>(node.missing, width, node.n_classes);
  counts.missing_total = SumsOf<Count>::weight(counts.missing.data(), width);
  return counts;
}

// Value v is the number v + 1/4; each bucket is a code.
struct Bucketed {
  std::vector<std::vector<Row>> buckets;
  ColumnFacts facts;
  Lists lists;
  std::vector<OpenRow> rows;

  explicit Bucketed(const Node& node) : buckets(node.bucket_of.back() + 1) {
    facts.n_codes = static_cast<std::uint32_t>(buckets.size());
    facts.least.assign(buckets.size(), kNaN), facts.greatest.assign(buckets.size(), kNaN);
    for (std::size_t v = 0; v < node.values.size(); ++v) {
      const std::size_t b = node.bucket_of[v];
      const double value = value_at(v);
      facts.least[b] = std::fmin(facts.least[b], value);
      facts.greatest[b] = std::fmax(facts.greatest[b], value);
      for (const Row& row : node.values[v]) {
        buckets[b].push_back(row);
        rows.push_back({sort_key(value), static_cast<std::uint32_t>(lists.size())});
        lists.keys.push_back(sort_key(value));
        lists.codes.push_back(static_cast<std::uint16_t>(b));
        lists.weights.push_back(row.weight);
        if (node.n_classes > 0)
          lists.groups.push_back(static_cast<std::uint16_t>(row.group));
        else
          lists.targets.push_back(row.group);
      }
    }
  }
  static double value_at(std::size_t v) { return static_cast<double>(v) + 0.25; }

  template <class Count>
  PairCounts<Count> counts(const Node& node, const MeasureOf<Count>& measure) const {
    PairCounts<Count> pair;
    pair.values = counts_of<Count>(buckets, node, measure.n_classes);
    for (std::uint32_t b = 0; b < buckets.size(); ++b) {
      Bucket bucket{b, b, facts.is_pure(b), false, buckets[b].size(), 0};
      if constexpr (!SumsOf<Count>::kClasses)
        for (const Row& row : buckets[b]) {
          const WideInt distance = row.group - measure.centre;
          bucket.distances += (distance < 0 ? -distance : distance) * row.weight;
        }
      pair.buckets.push_back(bucket);
    }
    return pair;
  }
};

// The value of a cut after so many values, with imputed rows where they belong; -inf: it may not
// be.
template <class Count>
class Cuts {
 public:
  Cuts(const Node& node, const MeasureOf<Count>& measure)
      : values_(counts_of<Count>(node.values, node, measure.n_classes)),
        measure_(measure),
        search_(measure,
                {values_.known.data(), values_.known_total, values_.missing.data(),
                 values_.missing_total},
                scratch_) {}

  double after(std::size_t n) {
    std::vector<Count> low(values_.known.size(), 0);
    Count total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < low.size(); ++c) low[c] += values_.row(i)[c];
      total += values_.totals[i];
    }
    if (search_.imputes()) {
      std::uint32_t rows = 0;
      total = search_.adjusted(low.data(), total, rows);
      low.assign(search_.adjusted_sums(), search_.adjusted_sums() + low.size());
    }
    if (!search_.admissible(total, 0)) return -kInfinity;
    std::vector<Count> high(search_.sums_known_and_imputed(),
                            search_.sums_known_and_imputed() + low.size());
    for (std::size_t c = 0; c < low.size(); ++c) high[c] -= low[c];
    if (!measure_.allows(low.data()) || !measure_.allows(high.data())) return -kInfinity;
    return search_.worth(low.data(), total).value;
  }

 private:
  ValueCounts<Count> values_;
  const MeasureOf<Count>& measure_;
  CutScratch<Count> scratch_;
  CutSearch<Count> search_;
};

template <class Count>
std::vector<OpenRow> open_rows(const Bucketed& table, const PairCounts<Count>& pair) {
  std::vector<OpenRow> rows;
  for (const OpenRow& row : table.rows) {
    const Bucket& bucket = pair.buckets[table.lists.codes[row.index]];
    if (bucket.is_open && !bucket.is_pure) rows.push_back(row);
  }
  return rows;
}
double middle_after(const Candidate& candidate) {
  return midpoint({Bucketed::value_at(static_cast<std::size_t>(candidate.code)),
                   Bucketed::value_at(static_cast<std::size_t>(candidate.next_code)), 0, 0});
}

struct Seen {
  int closed = 0, open = 0, cuts = 0;
};

template <class Count>
void check_node(const Node& node, const Params& params, Seen& seen) {
  const XLogX x_log_x(0);
  const MeasureOf<Count> measure = measure_of<Count>(node, params, x_log_x);
  const Bucketed table(node);
  PairCounts<Count> pair = table.counts<Count>(node, measure);
  NumberSearch<Count> search(measure, table.facts, 0, {}, pair);
  const Candidate between = search.between_buckets();
  double best = -kInfinity;
  if (between.valid) best = params.threshold_by_gain ? between.score.gain : between.score.value;
  search.open_buckets(pair.buckets, best);

  Cuts<Count> cuts(node, measure);
  CutScratch<Count> scratch;
  const ValueCounts<Count>& values = pair.values;
  CutSearch<Count> of_bounds(
      measure,
      {values.known.data(), values.known_total, values.missing.data(), values.missing_total},
      scratch);
  InsideBounds<Count> bound(measure, of_bounds);
  std::vector<Count> low(values.known.size(), 0), high;
  for (std::size_t b = 0, v = 0; b < pair.buckets.size(); ++b) {
    high = low;
    for (std::size_t c = 0; c < low.size(); ++c) high[c] += values.row(b)[c];
    const double most = bound(low, high, pair.buckets[b].distances);
    ++(pair.buckets[b].is_open ? seen.open : seen.closed);
    for (; v + 1 < node.values.size() && node.bucket_of[v + 1] == b; ++v) {
      const double value = cuts.after(v + 1);
      ++seen.cuts;
      if (value == -kInfinity) continue;
      CHECK(value <= most + 1e-9 * std::max(1.0, std::fabs(value)));
      CHECK(pair.buckets[b].is_open || value < best);
    }
    ++v;  // the cut between this bucket and the next one
    low = high;
  }

  // What is found in open buckets is what all values show.
  const Candidate found = search.best(table.lists, open_rows(table, pair)).candidate;
  CutScratch<Count> other;
  const ValueCounts<Count> all = counts_of<Count>(node.values, node, measure.n_classes);
  const Candidate expected = scan_values(measure, all, other, {}, [](std::size_t) { return true; });
  CHECK(found.valid == expected.valid);
  if (!found.valid || !expected.valid) return;
  CHECK(found.score.value == expected.score.value);
  CHECK(all.size() == 1 || found.threshold == middle_after(expected));
}

template <class Count>
Seen check_many(Criterion criterion, const std::vector<int>& n_classes) {
  std::mt19937 random(static_cast<unsigned>(criterion) + 1);
  Seen seen;
  for (const Kind kind : {Kind::Noise, Kind::Signal, Kind::Ties, Kind::NoGain})
    for (const Missing missing :
         {Missing::Fractional, Missing::MostCommon, Missing::MostCommonInClass, Missing::Branch})
      for (const int n : n_classes)
        for (int i = 0; i < 60; ++i) {
          Params params;
          params.criterion = criterion;
          params.missing = missing;
          params.tie_tolerance = 1e-12;
          params.threshold_by_gain = is_ratio(criterion) && i % 2 == 0;
          params.min_branch_weight = i % 5;
          if (n == 0 && missing == Missing::MostCommonInClass) continue;
          check_node<Count>(random_node(random, n, kind, i % 3 > 0), params, seen);
        }
  return seen;
}

}  // namespace

TEST(no_cut_inside_a_closed_bucket_is_better_by_classes) {
  for (const Criterion criterion : {Criterion::Gini, Criterion::InformationGain, Criterion::Error,
                                    Criterion::GainRatio, Criterion::GainRatioConditional}) {
    const Seen seen = check_many<std::int64_t>(criterion, {2, 3, 5, 8, 12});
    CHECK(seen.closed > 1000 && seen.open > 1000 && seen.cuts > 10'000);
  }
}

TEST(no_cut_inside_a_closed_bucket_is_better_by_numbers) {
  for (const Criterion criterion : {Criterion::SquaredError, Criterion::Poisson}) {
    const Seen seen = check_many<WideInt>(criterion, {0});
    CHECK(seen.closed > 200 && seen.open > 500 && seen.cuts > 2000);
  }
}
