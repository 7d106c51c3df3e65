// The best cut of a numeric column at a node, from counts by bucket and the rows of open buckets.
//
//   1. cuts between buckets show how good a cut is at least
//   2. a bucket is open if a cut inside may be as good; its rows are asked for, one by one
//   3. the values of open buckets, and buckets of one value, are scanned like any other values;
//      what is closed is passed over
// The buckets on both sides of the best cut are open: it lies on their border.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/radix_sort.h"
#include "base/sort_key.h"
#include "levels/found_split.h"
#include "levels/inside_bounds.h"
#include "levels/pair_counts.h"
#include "search/threshold.h"

namespace plaintree {

// Whether every value has to be seen: where the number of cuts counts, or the distance of values,
// or the best cut of every column even if it is not the node's, or no bound is known.
inline bool needs_every_value(const Params& params) {
  return params.threshold_penalty || params.min_separation > 0;
}
// Whether a column may be passed over because another one is better: not where gains of all columns
// are averaged, or where a better one may yet be refused.
inline bool compares_columns(const Params& params) {
  return !is_ratio(params.criterion) && params.feature_costs.empty();
}

// The rows of the open buckets of a pair, sorted by value.
struct OpenRow {
  std::uint64_t key;
  std::uint32_t index;  // in the lists
};
inline void sort_by_key(std::vector<OpenRow>& rows) {
  constexpr std::size_t kFew = 1024;  // fewer take longer to count than to compare
  if (rows.size() < kFew)
    return std::sort(rows.begin(), rows.end(),
                     [](const OpenRow& a, const OpenRow& b) { return a.key < b.key; });
  std::vector<OpenRow> spare;
  radix_sort(rows, spare, [](const OpenRow& row) { return row.key; });
}

template <class Count>
class NumberSearch {
 public:
  NumberSearch(const MeasureOf<Count>& measure, const ColumnFacts& facts, int column,
               const Monotonic& monotonic, const PairCounts<Count>& counts)
      : measure_(measure),
        params_(*measure.params),
        facts_(facts),
        column_(column),
        monotonic_(monotonic),
        counts_(counts) {}

  // Step 1: the best cut between buckets.
  Candidate between_buckets() {
    return scan_values(measure_, counts_.values, scratch_, monotonic_, [&](std::size_t i) {
      return counts_.values.size() > 1 || counts_.buckets[i].is_pure;
    });
  }

  // Step 2: opens the buckets of which a cut inside may reach `best`. Returns how many of their
  // rows have to be looked at.
  std::uint64_t open_buckets(std::vector<Bucket>& buckets, double best) {
    const ValueCounts<Count>& values = counts_.values;
    const KnownAndMissing<Count> known{values.known.data(),   values.known_total,
                                       values.missing.data(), values.missing_total,
                                       values.known_rows,     values.missing_rows.data()};
    CutSearch<Count> search(measure_, known, scratch_, monotonic_);
    InsideBounds<Count> bound(measure_, search);
    const bool all = needs_every_value(params_);
    const double enough = best - margin_of_bounds(params_, best);
    std::vector<Count> low(static_cast<std::size_t>(measure_.n_classes), 0), high;
    std::uint64_t n_rows = 0;
    // Most buckets are closed, and long stretches of them by one bound.
    for (std::size_t b = 0, n = all ? 1 : kLongStretch; b < buckets.size();) {
      n = std::min(n, buckets.size() - b);
      high = low;
      WideInt distances = 0;
      for (std::size_t i = b; i < b + n; ++i) {
        for (std::size_t c = 0; c < low.size(); ++c) high[c] += values.row(i)[c];
        distances += buckets[i].distances;
      }
      const bool is_open = all || !(bound(low, high, distances) < enough);
      if (is_open && n > 1) {
        n = (n + 3) / 4;
        continue;
      }
      for (std::size_t i = b; i < b + n; ++i) buckets[i].is_open = is_open;
      if (is_open && !buckets[b].is_pure) n_rows += buckets[b].rows;
      low.swap(high);
      b += n;
      n = all ? 1 : std::min(2 * n, kLongStretch);
    }
    return n_rows;
  }

  // Step 3. `rows`: of the open buckets, by value.
  FoundSplit<Count> best(const Lists& lists, std::span<const OpenRow> rows) {
    FoundSplit<Count> found;
    found.column = column_;
    ValueCounts<Count>& values = found.values;
    values.clear(measure_.n_classes);
    values.missing = counts_.values.missing;
    values.missing_total = counts_.values.missing_total;
    values.missing_rows = counts_.values.missing_rows;
    found.missing_rows = counts_.missing_rows;
    places_.clear();
    std::size_t at = 0;
    for (std::size_t b = 0; b < counts_.buckets.size(); ++b) {
      const Bucket& bucket = counts_.buckets[b];
      if (bucket.is_pure || !bucket.is_open) {
        const double value = bucket.is_pure ? facts_.least[bucket.first_code] : 0.0;
        add(found, counts_.values.row(b), bucket.rows, counts_.values.rows[b],
            {value, bucket.first_code, !bucket.is_pure});
        continue;
      }
      const std::size_t first = at;
      while (at < rows.size() && lists.codes[rows[at].index] <= bucket.last_code) ++at;
      add_values(found, lists, rows.subspan(first, at - first));
    }
    const double gap = params_.min_separation;
    found.candidate = scan_values(measure_, values, scratch_, monotonic_, [&](std::size_t i) {
      if (values.size() == 1) return !places_[0].is_closed;
      const Place &below = places_[i], &above = places_[i + 1];
      return !below.is_closed && !above.is_closed && (gap <= 0 || below.value < above.value - gap);
    });
    if (found.candidate.valid) place_threshold(found);
    return found;
  }

 private:
  static constexpr std::size_t kLongStretch = 64;

  // Where a value lies; of a closed bucket, somewhere in it.
  struct Place {
    double value;
    std::uint32_t code;
    bool is_closed;
  };

  void add(FoundSplit<Count>& found, const Count* sums, std::uint64_t n_rows, std::uint32_t times,
           Place place) {
    const std::size_t before = found.values.size();
    found.values.append(static_cast<std::int32_t>(before), sums, times);
    if (found.values.size() == before) return;  // without weight
    places_.push_back(place);
    found.rows.push_back(n_rows);
  }
  void add_values(FoundSplit<Count>& found, const Lists& lists, std::span<const OpenRow> rows) {
    std::vector<Count> sums;
    for (std::size_t i = 0; i < rows.size();) {
      sums.assign(static_cast<std::size_t>(measure_.n_classes), 0);
      const std::size_t first = i;
      std::uint32_t times = 0;
      for (; i < rows.size() && rows[i].key == rows[first].key; ++i) {
        add_row(sums, lists, rows[i].index);
        times += lists.times.empty() ? 1 : lists.times[rows[i].index];
      }
      add(found, sums.data(), i - first, times,
          {value_of_key<double>(rows[first].key), lists.codes[rows[first].index], false});
    }
  }
  void add_row(std::vector<Count>& sums, const Lists& lists, std::uint32_t row) const {
    const std::int64_t weight = lists.weights.empty() ? 1 : lists.weights[row];
    if constexpr (SumsOf<Count>::kClasses) {
      sums[lists.groups[row]] += weight;
    } else {
      sums[0] += weight;
      sums[1] += static_cast<WideInt>(lists.targets[row]) * weight;
    }
  }

  void place_threshold(FoundSplit<Count>& found) const {
    Candidate& candidate = found.candidate;
    const Place& low = places_[static_cast<std::size_t>(candidate.code)];
    const Place& high = places_[static_cast<std::size_t>(candidate.next_code)];
    found.low_code = low.code;
    found.high_code = high.code;
    candidate.threshold = midpoint({low.value, high.value, 0, 0});
  }

  const MeasureOf<Count>& measure_;
  const Params& params_;
  const ColumnFacts& facts_;
  const int column_;
  const Monotonic monotonic_;
  const PairCounts<Count>& counts_;
  CutScratch<Count> scratch_;
  std::vector<Place> places_;
};

}  // namespace plaintree
