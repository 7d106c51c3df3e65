// The best cut of a coded numeric column by Gini, where rows count as often as they are there: from
// the counts of its codes, or from keys (see gini_scan.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/gini/buckets.h"
#include "search/gini/scan.h"
#include "search/node_view.h"
#include "search/sort_items.h"

namespace plaintree {

// Numeric codes as sorted keys (see gini_scan.h): half the bytes of items.
inline bool fits_keys(const NodeView<std::int32_t>& view, const Column& column) {
  const Missing policy = view.measure.params->missing;
  const bool plain = !column.has_missing || policy == Missing::Branch;
  const int bits = view.table.class_bits + view.table.repeat_bits;
  return plain && fits_gini_scan(view.measure, view.table) &&
         std::bit_width(static_cast<unsigned>(column.n_codes)) + bits <= 32;
}

// A test of sorted keys, by the codes on both sides of its cut.
inline Candidate with_codes_of_cut(Candidate candidate, const std::vector<std::uint32_t>& keys,
                                   int tag_bits) {
  if (candidate.valid) {
    candidate.code = static_cast<std::int32_t>(keys[candidate.position - 1] >> tag_bits);
    candidate.next_code = static_cast<std::int32_t>(keys[candidate.position] >> tag_bits);
  }
  return candidate;
}

// May a node be cut at all, as far as its weight goes? (See CutSearch::possible.)
inline bool may_be_cut(const NodeView<std::int32_t>& view) {
  const Params& params = *view.measure.params;
  return params.every_branch || view.measure.weight(view.total) >= 2 * params.min_samples_branch;
}

// A cut's test, where nothing is missing; scored as CutSearch does.
inline void write_cut(const NodeView<std::int32_t>& view, double information,
                      Candidate& candidate) {
  candidate.valid = true;
  candidate.kind = NodeKind::Threshold;
  candidate.score.gain = view.impurity - information / view.measure.weight(view.total);
  candidate.score.value = candidate.score.gain;
}
inline Candidate candidate_of_cut(const NodeView<std::int32_t>& view, double information) {
  Candidate candidate;
  write_cut(view, information, candidate);
  return candidate;
}
inline GiniCut cut_after(const NodeView<std::int32_t>& view, const std::int32_t* low) {
  std::int64_t low_total = 0, low_squares = 0, high_squares = 0;
  for (int c = 0; c < view.table.n_classes; ++c) {
    const std::int64_t l = low[c], r = view.counts[c] - l;
    low_total += l;
    low_squares += l * l;
    high_squares += r * r;
  }
  return {1, static_cast<double>(low_total), static_cast<double>(view.total - low_total),
          static_cast<double>(low_squares), static_cast<double>(high_squares)};
}

// Does a cut gain as much as a test that is there already? Found without a division: what a cut
// gains is its purity (see gini_scan.h) over the node's weight, less that of the whole node.
inline bool is_worth_it(const NodeView<std::int32_t>& view, const GiniCut& cut) {
  const double least_purity = (view.worth + 1 - view.impurity) * view.total;
  return cut.low_squares * cut.high + cut.high_squares * cut.low >=
         least_purity * (cut.low * cut.high);
}

// The best cut of a numeric byte column from its count table, by Gini, nothing missing.
inline Candidate evaluate_counts(const NodeView<std::int32_t>& view, const Column& column,
                                 const std::int32_t* cells,
                                 EvaluationScratch<std::int32_t>& scratch) {
  if (!may_be_cut(view)) return {};
  const int n_classes = view.table.n_classes;
  const auto least = static_cast<std::int32_t>(std::min(least_rows(view.measure), 1u << 30));
  if (column.n_codes == 2) {  // there is but one cut
    const GiniCut cut = cut_after(view, cells);
    if (cut.low < least || cut.high < least || !is_worth_it(view, cut)) return {};
    Candidate candidate = candidate_of_cut(view, cut.information());
    candidate.code = 0;
    candidate.next_code = 1;
    return candidate;
  }
  std::vector<std::int32_t>& low = scratch.cuts.low;
  low.assign(n_classes, 0);
  std::int32_t low_total = 0, best_code = -1, next_code = -1;
  double best = kInfinity;
  bool waiting = false;  // the cut after best_code awaits the next code that is there
  for (std::int32_t code = 0; code < column.n_codes; ++code, cells += n_classes) {
    std::int32_t total = 0;
    for (int c = 0; c < n_classes; ++c) total += cells[c];
    if (total == 0) continue;
    if (waiting) next_code = code;
    waiting = false;
    for (int c = 0; c < n_classes; ++c) low[c] += cells[c];
    low_total += total;
    if (low_total < least) continue;
    if (view.total - low_total < least) break;
    const double information = cut_after(view, low.data()).information();
    if (view.impurity - information / view.measure.weight(view.total) >
        view.impurity - best / view.measure.weight(view.total)) {
      best = information;
      best_code = code;
      waiting = true;
    }
  }
  if (best_code < 0) return {};
  Candidate candidate = candidate_of_cut(view, best);
  candidate.code = best_code;
  candidate.next_code = next_code;
  return candidate;
}

// A cut of scratch.keys, where nothing is missing.
inline Candidate candidate_of_keys(const NodeView<std::int32_t>& view, const GiniCut& cut,
                                   int tag_bits, const EvaluationScratch<std::int32_t>& scratch) {
  if (cut.position == 0) return {};
  Candidate candidate = candidate_of_cut(view, cut.information());
  candidate.position = cut.position;
  return with_codes_of_cut(std::move(candidate), scratch.keys, tag_bits);
}

// Are few of a node's rows sorted? So it is with many rows of two classes, nothing missing.
inline bool buckets_pay(const NodeView<std::int32_t>& view) {
  return view.open.size() >= kManyKeys && view.table.n_classes == 2;
}
inline bool cut_by_buckets(const NodeView<std::int32_t>& view, const Column& column) {
  return buckets_pay(view) && !column.has_missing && column.numeric &&
         column.store == Column::Store::Wide && fits_keys(view, column);
}

inline Candidate evaluate_buckets(const NodeView<std::int32_t>& view, const Column& column,
                                  const Buckets& buckets,
                                  EvaluationScratch<std::int32_t>& scratch) {
  if (!may_be_cut(view)) return {};
  const int tag_bits = view.table.class_bits + view.table.repeat_bits;
  GiniOfTwo gini(view.counts, least_rows(view.measure));
  gini.expect_gain(view.worth);
  gini.expect(buckets.best_between);
  BucketSearch search(buckets, gini, tag_bits, scratch.keys, scratch.buckets);
  GiniCut cut;
  const std::uint32_t n = view.open.size();
  view.codes().with_codes(column, n, [&](auto code_of) {
    cut = search.run({view.begin(), n}, view.codes().lower_bits(column, n), code_of);
  });
  return candidate_of_keys(view, cut, tag_bits, scratch);
}

inline Candidate evaluate_keys(const NodeView<std::int32_t>& view, const Column& column,
                               EvaluationScratch<std::int32_t>& scratch) {
  const TrainingTable& table = view.table;
  const int tag_bits = table.class_bits + table.repeat_bits;
  const std::uint32_t mask = tag_mask(table), n = view.open.size();
  const auto missing_code = static_cast<std::uint32_t>(column.n_codes);
  view.codes().with_codes(column, n, [&, entries = view.begin()](auto code_of) {
    const auto key_of = [=](std::size_t i) {
      const auto code = static_cast<std::uint32_t>(code_of(entries[i] >> tag_bits));
      return code << tag_bits | (entries[i] & mask);
    };
    make_sorted_keys(scratch.keys, scratch.spare_keys, n, missing_code, tag_bits, key_of);
  });
  if (!column.has_missing) {
    if (!may_be_cut(view)) return {};
    scratch.cuts.scan.resize(2 * static_cast<std::size_t>(table.n_classes));
    const SortedKeys sorted{scratch.keys.data(), mask};
    const GiniCut cut = best_gini_cut(table, sorted, n, view.counts, least_rows(view.measure),
                                      view.worth, scratch.cuts.scan.data());
    return candidate_of_keys(view, cut, tag_bits, scratch);
  }
  scratch.missing.assign(table.n_classes, 0);
  const std::uint32_t* keys = scratch.keys.data();
  std::uint32_t n_known = n;
  while (n_known > 0 && keys[n_known - 1] >> tag_bits == missing_code) {
    const std::uint32_t tag = keys[--n_known] & mask;
    scratch.missing[table.class_of(tag)] += table.times(tag);
  }
  const KnownAndMissing<std::int32_t> counts = without_missing(view, scratch);
  return with_codes_of_cut(
      scan_by_gini(view.measure, table, SortedKeys{keys, mask}, n_known, counts, scratch.cuts),
      scratch.keys, tag_bits);
}

}  // namespace plaintree
