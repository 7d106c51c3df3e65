// The kernels: loops over the rows of a block.
//
//   1. entries   of the rows in slots: slot, class or target, weight, side by side
//   2. count     column after column, so that the cells of one column stay in the cache
//   3. look      rows whose bucket is open, one by one
#include "blocks/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/sort_key.h"
#include "stats/target_spread.h"

namespace plaintree {
namespace {

// A table by node of positions in a list of nodes; -1: not in the list.
std::vector<std::int32_t> positions_of(const std::vector<std::int32_t>& nodes) {
  std::int32_t last = -1;
  for (const std::int32_t node : nodes) last = std::max(last, node);
  std::vector<std::int32_t> table(static_cast<std::size_t>(last + 1), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    table[static_cast<std::size_t>(nodes[i])] = static_cast<std::int32_t>(i);
  return table;
}
std::int32_t position_in(const std::vector<std::int32_t>& table, std::int32_t node) {
  return node < 0 || static_cast<std::size_t>(node) >= table.size()
             ? -1
             : table[static_cast<std::size_t>(node)];
}

const BlockColumn& column_of(const BlockView& block, std::int32_t column) {
  if (static_cast<std::size_t>(column) >= block.columns.size())
    throw std::invalid_argument("a request names a column that a block does not have");
  return block.columns[static_cast<std::size_t>(column)];
}

// Calls use(first, last) for each run of pairs of one column.
template <class Pair, class Use>
void by_column(const std::vector<Pair>& pairs, const BlockView& block, Use use) {
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t last = first;
    while (last < pairs.size() && pairs[last].column == pairs[first].column) ++last;
    use(column_of(block, pairs[first].column), first, last);
    first = last;
  }
}

}  // namespace

Bytes route_block(ByteSpan block, ByteSpan state, const Request& request) {
  const BlockView view(block);
  BlockRows rows = BlockRows::read(state, view, request.rules);
  rows.follow(view, request);
  return rows.bytes();
}

Answer::Answer(const Request& request)
    : request_(request),
      width_(request.layout.width()),
      counts_rows_(!request.large_cells && !request.rules.in_units && request.rules.sampling == 0 &&
                   request.layout.n_classes > 0 && width_ == request.layout.n_classes),
      slot_of_node_(positions_of(request.slots)),
      gathered_(positions_of(request.gather)) {
  reply_.number = request.number;
  reply_.layout = request.layout;
  const auto n_cells = static_cast<std::size_t>(request.n_cells) * width_;
  if (counts_rows_)
    reply_.small_cells.assign(n_cells, 0);
  else
    reply_.cells.assign(n_cells, 0);
  if (request.sums) {
    reply_.sums.assign(request.slots.size() * width_, 0);
    if (request.layout.n_classes == 0)
      reply_.ranges.assign(request.slots.size(), {std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min()});
  }
  reply_.spreads.resize(request.spreads.size());
  for (const Precede& own : request.precede)
    reply_.preceding.emplace_back(own.numbers.size(), -std::numeric_limits<double>::infinity());
}

void Answer::add(const BlockView& block, const BlockRows& rows) {
  if (!request_.slots.empty()) {
    find_entries(block, rows);
    if (request_.sums) add_sums();
    if (!request_.spreads.empty()) add_spreads();
    by_column(request_.count, block, [&](const BlockColumn& column, auto first, auto last) {
      count_column(column, first, last);
    });
    if (!request_.look.empty()) sort_entries();
    by_column(request_.look, block, [&](const BlockColumn& column, auto first, auto last) {
      look_into(column, first, last);
    });
  }
  if (!request_.gather.empty()) gather(block, rows);
  if (request_.all_rows) take_rows(block);
  if (!request_.precede.empty()) precede(block);
}

void Answer::find_entries(const BlockView& block, const BlockRows& rows) {
  const std::size_t n = rows.size();
  const bool weighted = !rows.weights.empty();
  entries_.clear();
  entries_.slots.reserve(n);
  bool all = rows.rows.empty();
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t slot = position_in(slot_of_node_, rows.nodes[i]);
    if (slot < 0 && all) {  // the first row that is left out
      all = false;
      for (std::size_t before = 0; before < i; ++before)
        entries_.rows.push_back(static_cast<std::uint32_t>(before));
    }
    if (slot < 0) continue;
    entries_.slots.push_back(static_cast<std::uint32_t>(slot));
    if (!all) entries_.rows.push_back(rows.row(i));
    if (weighted) entries_.weights.push_back(rows.weights[i]);
    if (!rows.times.empty()) entries_.times.push_back(rows.times[i]);
  }
  const auto row_of = [&](std::size_t e) { return entries_.rows.empty() ? e : entries_.rows[e]; };
  const std::size_t n_entries = entries_.size();
  if (block.n_classes > 0) {
    entries_.groups.resize(n_entries);
    for (std::size_t e = 0; e < n_entries; ++e) entries_.groups[e] = block.classes[row_of(e)];
  } else {
    entries_.targets.resize(n_entries);
    for (std::size_t e = 0; e < n_entries; ++e)
      entries_.targets[e] =
          std::llrint(std::ldexp(block.targets[row_of(e)], request_.rules.target_bits));
  }
}

void Answer::add_cell(std::int64_t* cell, std::size_t entry) const {
  const std::int64_t weight = entries_.weights.empty() ? 1 : entries_.weights[entry];
  if (request_.layout.n_classes > 0) {
    cell[entries_.groups[entry]] += weight;
  } else {
    const std::int64_t target = entries_.targets[entry];
    cell[0] += weight;
    add_wide(cell + 1, static_cast<WideInt>(target) * weight);
    if (!request_.centres.empty()) {
      const WideInt from = static_cast<WideInt>(target) - request_.centres[entries_.slots[entry]];
      add_wide(cell + 3, (from < 0 ? -from : from) * weight);
    }
  }
  if (request_.layout.with_rows)
    ++cell[request_.layout.rows_at() +
           (request_.layout.rows_by_class ? entries_.groups[entry] : 0u)];
  if (request_.layout.with_times)
    cell[request_.layout.times_at() + (entries_.groups.empty() ? 0 : entries_.groups[entry])] +=
        entries_.times.empty() ? 1 : entries_.times[entry];
}

void Answer::add_sums() {
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const std::uint32_t slot = entries_.slots[e];
    add_cell(&reply_.sums[static_cast<std::size_t>(slot) * width_], e);
    if (reply_.ranges.empty()) continue;
    TargetRange& range = reply_.ranges[slot];
    range.least = std::min(range.least, entries_.targets[e]);
    range.most = std::max(range.most, entries_.targets[e]);
  }
}

void Answer::add_spreads() {
  std::vector<TargetSpread> spreads;
  for (const SpreadOf& of : request_.spreads)
    spreads.emplace_back(request_.criterion, request_.target_unit, of.centre, of.rest, of.mean,
                         of.bound, of.total);
  for (std::size_t e = 0; e < entries_.size(); ++e)
    spreads[entries_.slots[e]].add(entries_.targets[e],
                                   entries_.weights.empty() ? 1 : entries_.weights[e]);
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    reply_.spreads[s].whole += spreads[s].sum().whole();
    reply_.spreads[s].parts += spreads[s].sum().parts();
  }
}

// ---------------------------------------------------------------- count

void Answer::count_column(const BlockColumn& column, std::size_t first_pair,
                          std::size_t last_pair) {
  grids_.assign(request_.slots.size(), {});
  for (std::size_t p = first_pair; p < last_pair; ++p) {
    const CountPair& pair = request_.count[p];
    Grid& grid = grids_[static_cast<std::size_t>(pair.slot)];
    grid = {pair.first_code, pair.shift, pair.n_buckets, static_cast<std::int32_t>(p),
            pair.first_cell, nullptr};
    if (pair.refined_at > 0) grid.refined = &request_.refined[pair.refined_at - 1];
  }
  column.with_codes([&](const auto* codes) {
    if (counts_rows_ && request_.refined.empty())
      count_classes(codes, column.n_codes);
    else
      count_each(codes, column.n_codes);
  });
}

// Rows that count 1, by class.
template <class Code>
void Answer::count_classes(const Code* codes, std::uint32_t missing) {
  std::uint32_t* cells = reply_.small_cells.data();
  const std::size_t n = entries_.size(), width = static_cast<std::size_t>(width_);
  const std::uint32_t *slots = entries_.slots.data(), *groups = entries_.groups.data();
  const std::uint32_t* rows = entries_.rows.empty() ? nullptr : entries_.rows.data();
  const Grid* grids = grids_.data();
  const auto count = [&](std::size_t e, std::uint32_t code) {
    const Grid& grid = grids[slots[e]];
    if (grid.pair < 0) return;
    const std::uint32_t bucket =
        code == missing ? grid.n_buckets : (code - grid.first_code) >> grid.shift;
    ++cells[(grid.first_cell + bucket) * width + groups[e]];
  };
  if (rows)
    for (std::size_t e = 0; e < n; ++e) count(e, codes[rows[e]]);
  else
    for (std::size_t e = 0; e < n; ++e) count(e, codes[e]);
}

template <class Code>
void Answer::count_each(const Code* codes, std::uint32_t missing) {
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Grid& grid = grids_[entries_.slots[e]];
    if (grid.pair < 0) continue;
    const std::uint32_t code = codes[entries_.rows.empty() ? e : entries_.rows[e]];
    std::uint64_t cell = grid.first_cell;
    if (code == missing) {
      if (grid.refined) continue;  // they are counted already
      cell += grid.n_buckets;
    } else {
      const std::uint32_t at = code - grid.first_code, bucket = at >> grid.shift;
      if (!grid.refined) {
        cell += bucket;
      } else {
        const RefinedBucket& fine = grid.refined[bucket];
        if (fine.first_cell < 0) continue;
        cell += static_cast<std::uint64_t>(fine.first_cell) +
                ((at - (bucket << grid.shift)) >> fine.shift);
      }
    }
    if (counts_rows_)
      ++reply_.small_cells[cell * static_cast<std::size_t>(width_) + entries_.groups[e]];
    else
      add_cell(&reply_.cells[cell * static_cast<std::size_t>(width_)], e);
  }
}

// ---------------------------------------------------------------- look, gather, precede

void Answer::sort_entries() {
  first_of_slot_.assign(request_.slots.size() + 2, 0);
  for (const std::uint32_t slot : entries_.slots) ++first_of_slot_[slot + 2];
  std::partial_sum(first_of_slot_.begin(), first_of_slot_.end(), first_of_slot_.begin());
  entries_by_slot_.resize(entries_.size());
  for (std::size_t e = 0; e < entries_.size(); ++e)
    entries_by_slot_[first_of_slot_[entries_.slots[e] + 1]++] = static_cast<std::uint32_t>(e);
}

// Few slots look into one column: their rows are visited, and no others.
void Answer::look_into(const BlockColumn& column, std::size_t first_pair, std::size_t last_pair) {
  Lists& lists = reply_.lists;
  const auto look = [&](const LookPair& pair, std::uint32_t number, const auto* codes) {
    const std::uint8_t* open = &request_.open[pair.first_open];
    const auto slot = static_cast<std::size_t>(pair.slot);
    for (std::uint32_t at = first_of_slot_[slot]; at < first_of_slot_[slot + 1]; ++at) {
      const std::uint32_t e = entries_by_slot_[at];
      const std::size_t row = entries_.rows.empty() ? e : entries_.rows[e];
      const std::uint32_t code = codes[row];
      if (code == column.n_codes || !open[(code - pair.first_code) >> pair.shift]) continue;
      lists.keys.push_back(sort_key(column.value(row)));
      lists.pairs.push_back(number);
      lists.codes.push_back(static_cast<std::uint16_t>(code));
      if (!entries_.groups.empty())
        lists.groups.push_back(static_cast<std::uint16_t>(entries_.groups[e]));
      if (!entries_.targets.empty()) lists.targets.push_back(entries_.targets[e]);
      if (!entries_.weights.empty()) lists.weights.push_back(entries_.weights[e]);
      if (!entries_.times.empty()) lists.times.push_back(entries_.times[e]);
    }
  };
  column.with_codes([&](const auto* codes) {
    for (std::size_t p = first_pair; p < last_pair; ++p)
      look(request_.look[p], static_cast<std::uint32_t>(p), codes);
  });
}

void Answer::gather(const BlockView& block, const BlockRows& rows) {
  std::vector<std::uint32_t> found;
  GatheredRows& to = reply_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t position = position_in(gathered_, rows.nodes[i]);
    if (position < 0) continue;
    found.push_back(rows.row(i));
    to.nodes.push_back(rows.nodes[i]);
    if (!rows.weights.empty()) to.weights.push_back(rows.weights[i]);
    if (!rows.times.empty()) to.times.push_back(rows.times[i]);
  }
  std::vector<std::int32_t> all(block.columns.size());
  std::iota(all.begin(), all.end(), 0);
  copy_rows(block, found, all);
}

// As they were given, whatever they count in a tree.
void Answer::take_rows(const BlockView& block) {
  std::vector<std::uint32_t> rows(block.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  GatheredRows& to = reply_.rows;
  to.runs.push_back({block.first_row, block.n_rows});
  to.given_weights.insert(to.given_weights.end(), block.weights.begin(), block.weights.end());
  copy_rows(block, rows, request_.columns);
}

void Answer::copy_rows(const BlockView& block, const std::vector<std::uint32_t>& rows,
                       const std::vector<std::int32_t>& columns) {
  GatheredRows& to = reply_.rows;
  const std::size_t n_columns = block.columns.size();
  to.floats.resize(n_columns), to.doubles.resize(n_columns), to.codes.resize(n_columns);
  for (const std::uint32_t row : rows) {
    if (block.n_classes > 0)
      to.classes.push_back(block.classes[row]);
    else
      to.targets.push_back(block.targets[row]);
  }
  for (const std::int32_t j : columns) {
    const BlockColumn& column = block.columns.at(static_cast<std::size_t>(j));
    if (!column.numeric) {
      for (const std::uint32_t row : rows) {
        const std::uint32_t code = column.code(row);
        to.codes[j].push_back(code == column.n_codes ? -1 : static_cast<std::int32_t>(code));
      }
    } else if (column.single) {
      for (const std::uint32_t row : rows) to.floats[j].push_back(column.floats[row]);
    } else {
      for (const std::uint32_t row : rows) to.doubles[j].push_back(column.doubles[row]);
    }
  }
}

// Of all rows of positive weight, whatever node they are in.
void Answer::precede(const BlockView& block) {
  const RowWeights units(request_.rules);
  std::vector<char> counts(block.n_rows, 1);
  if (request_.rules.in_units)
    for (std::uint32_t i = 0; i < block.n_rows; ++i)
      counts[i] = units.of(block.weights.empty() ? 1.0 : block.weights[i],
                           block.n_classes > 0 ? block.classes[i] : 0) > 0;
  for (std::size_t p = 0; p < request_.precede.size(); ++p) {
    const Precede& own = request_.precede[p];
    const BlockColumn& column = column_of(block, own.column);
    std::vector<double>& greatest = reply_.preceding[p];
    for (std::uint32_t row = 0; row < block.n_rows; ++row) {
      if (!counts[row] || column.code(row) == column.n_codes) continue;
      const double value = column.value(row);
      // The first number that is not below it; those after it are settled at the end.
      const auto at = std::lower_bound(own.numbers.begin(), own.numbers.end(), value);
      if (at == own.numbers.end()) continue;
      double& best = greatest[static_cast<std::size_t>(at - own.numbers.begin())];
      best = std::max(best, value);
    }
  }
}

}  // namespace plaintree
