#include "blocks/block_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/random.h"

namespace plaintree {
namespace {

// How often each row of a block was drawn.
std::vector<std::uint32_t> drawn_times(const BlockView& block, const RowRules& rules) {
  std::vector<std::uint32_t> times(block.n_rows, 0);
  if (rules.sampling == 2) {
    for (std::uint32_t i = 0; i < block.n_rows; ++i)
      times[i] = draw_hash(rules.draw_key, block.first_row + i) <= rules.hash_limit;
    return times;
  }
  std::vector<std::uint32_t> of_block;
  const std::uint64_t end = block.first_row + block.n_rows;
  for (std::uint64_t b = block.first_row / kDrawBlock; b * kDrawBlock < end; ++b) {
    const std::uint64_t first = b * kDrawBlock;
    const auto n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kDrawBlock, rules.n_table_rows - first));
    of_block.assign(n, 0);
    draw_in_block(rules.draw_key, b, rules.draws_of_blocks[b], n, of_block.data());
    const std::uint64_t from = std::max(first, block.first_row), to = std::min(first + n, end);
    for (std::uint64_t row = from; row < to; ++row)
      times[row - block.first_row] = of_block[row - first];
  }
  return times;
}

// The plan by node, and one row after the other down its splits.
class Router {
 public:
  Router(const BlockView& block, const Request& request) : block_(block), plan_(request.plan) {
    std::int32_t last = -1;
    for (const BlockSplit& split : plan_) last = std::max(last, split.node);
    split_of_.assign(static_cast<std::size_t>(last + 1), -1);
    for (std::size_t s = 0; s < plan_.size(); ++s) {
      split_of_[static_cast<std::size_t>(plan_[s].node)] = static_cast<std::int32_t>(s);
      if (static_cast<std::size_t>(plan_[s].column) >= block.columns.size())
        throw std::invalid_argument("a plan splits on a column that a block does not have");
    }
  }

  // Null: a node that is not split.
  const BlockSplit* split_of(std::int32_t node) const {
    if (node < 0 || static_cast<std::size_t>(node) >= split_of_.size()) return nullptr;
    const std::int32_t split = split_of_[static_cast<std::size_t>(node)];
    return split < 0 ? nullptr : &plan_[static_cast<std::size_t>(split)];
  }
  // The branch of a row; kDivided if it goes to several.
  static constexpr std::int32_t kDivided = -2;
  std::int32_t branch(const BlockSplit& split, std::uint32_t row) const {
    const BlockColumn& column = block_.columns[static_cast<std::size_t>(split.column)];
    const std::uint32_t code = column.code(row);
    if (code == column.n_codes) return missing(split, row);
    if (!split.branches.empty()) return split.branches[code];
    if (code < split.low_code) return 0;
    if (code > split.high_code) return 1;
    if (split.low_code < split.high_code) return code > split.low_code;
    return column.value(row) > split.threshold;
  }

 private:
  std::int32_t missing(const BlockSplit& split, std::uint32_t row) const {
    if (!split.shares.empty()) return kDivided;
    if (split.missing.empty())
      throw std::invalid_argument("a plan lacks a branch for missing rows");
    return split.missing.size() == 1 ? split.missing[0] : split.missing[block_.classes[row]];
  }

  const BlockView& block_;
  const std::vector<BlockSplit>& plan_;
  std::vector<std::int32_t> split_of_;
};

}  // namespace

std::int64_t RowWeights::of(double weight, std::size_t group) const {
  if (!rules_.class_factors.empty()) weight *= rules_.class_factors[group];
  if (rules_.is_scaled) weight = weight / rules_.most * rules_.scale;
  return std::llrint(std::ldexp(weight, rules_.unit_bits));
}

BlockRows::BlockRows(const BlockView& block, const RowRules& rules) : nodes(block.n_rows, 0) {
  if (rules.in_units) {
    const RowWeights units(rules);
    weights.resize(block.n_rows);
    for (std::uint32_t i = 0; i < block.n_rows; ++i)
      weights[i] = units.of(block.weights.empty() ? 1.0 : block.weights[i],
                            block.n_classes > 0 ? block.classes[i] : 0);
  }
  if (rules.sampling != 0) {
    times = drawn_times(block, rules);
    if (weights.empty()) {
      weights.assign(times.begin(), times.end());
      times.clear();
    } else {
      for (std::uint32_t i = 0; i < block.n_rows; ++i) weights[i] *= times[i];
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] == 0) nodes[i] = -1;
}

BlockRows BlockRows::read(ByteSpan state, const BlockView& block, const RowRules& rules) {
  if (state.empty()) return BlockRows(block, rules);
  BlockRows result;
  ByteReader reader(state);
  reader.read(result.n_splits);
  reader.read(result.nodes);
  reader.read(result.rows);
  reader.read(result.weights);
  reader.read(result.times);
  const std::size_t n = result.size();
  const auto fits = [n](const auto& values) { return values.empty() || values.size() == n; };
  if (!fits(result.rows) || !fits(result.weights) || !fits(result.times) ||
      (result.rows.empty() && n != block.n_rows))
    throw std::invalid_argument("the state of a block is damaged");
  for (const std::uint32_t row : result.rows)
    if (row >= block.n_rows) throw std::invalid_argument("the state of a block is damaged");
  return result;
}

Bytes BlockRows::bytes() const {
  ByteWriter writer;
  writer.write(n_splits);
  writer.write(nodes);
  writer.write(rows);
  writer.write(weights);
  writer.write(times);
  return writer.take();
}

void BlockRows::follow(const BlockView& block, const Request& request) {
  if (n_splits == request.plan.size()) return;
  n_splits = static_cast<std::uint32_t>(request.plan.size());
  const Router router(block, request);
  const bool divides = request.rules.divides;
  if (divides && rows.empty()) {
    rows.resize(size());
    for (std::size_t i = 0; i < size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)  // divided rows are added at the end
    while (const BlockSplit* split = router.split_of(nodes[i])) {
      const std::int32_t branch = router.branch(*split, row(i));
      if (branch != Router::kDivided) {
        nodes[i] = split->first_child + branch;
        continue;
      }
      const std::int64_t whole = weights[i];
      const auto of_row = rows[i];
      bool first = true;
      for (std::size_t b = 0; b < split->shares.size(); ++b) {
        if (split->shares[b] <= 0) continue;
        const std::int64_t part = std::llrint(static_cast<double>(whole) * split->shares[b]);
        const auto child = split->first_child + static_cast<std::int32_t>(b);
        if (first) {
          nodes[i] = child;
          weights[i] = part;
        } else {
          nodes.push_back(child);
          rows.push_back(of_row);
          weights.push_back(part);
          if (!times.empty()) times.push_back(times[i]);
        }
        first = false;
      }
      if (first) nodes[i] = -1;
    }
}

}  // namespace plaintree
