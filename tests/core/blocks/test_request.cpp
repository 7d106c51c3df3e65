// Requests and replies: bytes come out as they went in, damage is noticed, replies merge in any
// order.
#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "blocks/small_blocks.h"
#include "check.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

BlockSplit split_at_root() {
  BlockSplit split;
  split.first_child = 1, split.n_branches = 2;
  split.low_code = split.high_code = 2;
  split.threshold = 0.25;
  split.missing = {1};
  return split;
}

// Asks for all that blocks can reply: about the two children of a split of the root.
Request full_request(const SmallTable& table) {
  Request request;
  request.number = 17;
  request.plan = {split_at_root()};
  request.layout.n_classes = table.n_classes;
  const bool numeric = table.n_classes == 0;
  if (!table.weights.empty()) {
    request.rules.in_units = true;
    request.rules.unit_bits = 1;
    request.layout.with_rows = request.layout.with_times = true;
    request.layout.rows_by_class = !numeric;
  }
  if (numeric) {
    request.criterion = Criterion::SquaredError;
    request.rules.target_bits = 2;
    request.target_unit = 0.25;
    request.centres = {3, 5};
    request.spreads = {{3, 0.5, 3.5, 100, 40}, {5, 0, 5, 100, 40}};
  }
  request.slots = {1, 2};
  request.sums = true;
  for (std::int32_t column = 0; column < 3; ++column)
    for (std::int32_t slot = 0; slot < 2; ++slot) {
      const std::uint32_t n = column == 0 ? 5 : column == 1 ? 3 : 4;
      request.count.push_back({slot, column, 0, n, 0, 0, request.n_cells});
      request.n_cells += n + 1;
    }
  request.look = {{0, 0, 0, 5, 0, 0}, {1, 1, 0, 3, 0, 5}};
  request.open = {0, 1, 1, 0, 1, 1, 0, 1};
  request.gather = {2};
  request.precede = {{0, {-0.5, 0.6, 9}}, {1, {0.1}}};
  return request;
}

// Rows of a reply have no order: the same reply with its rows sorted.
Bytes in_order(const Reply& reply) {
  Reply sorted = reply;
  const Lists& lists = reply.lists;
  std::vector<std::size_t> order(lists.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto at = [](const auto& values, std::size_t i) {
    return values.empty() ? std::int64_t(0) : static_cast<std::int64_t>(values[i]);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tuple(lists.pairs[i], lists.keys[i], lists.codes[i], at(lists.groups, i),
                        at(lists.targets, i), at(lists.weights, i), at(lists.times, i));
    };
    return key(a) < key(b);
  });
  const auto arrange = [&](auto& values) {
    auto from = values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = from[order[i]];
  };
  arrange(sorted.lists.pairs), arrange(sorted.lists.keys), arrange(sorted.lists.codes);
  arrange(sorted.lists.groups), arrange(sorted.lists.targets), arrange(sorted.lists.weights);
  arrange(sorted.lists.times);
  sorted.rows = {};
  return sorted.bytes();
}

// Gathered rows, one by one, whatever their order.
std::vector<std::vector<double>> gathered(const GatheredRows& rows) {
  std::vector<std::vector<double>> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double>& row = found.emplace_back();
    row.push_back(rows.nodes[i]);
    row.push_back(rows.classes.empty() ? rows.targets[i] : rows.classes[i]);
    row.push_back(rows.weights.empty() ? 1 : static_cast<double>(rows.weights[i]));
    const auto add = [&](double value) { row.push_back(std::isnan(value) ? 1e300 : value); };
    for (const auto& column : rows.doubles)
      if (!column.empty()) add(column[i]);
    for (const auto& column : rows.floats)
      if (!column.empty()) add(column[i]);
    for (const auto& column : rows.codes)
      if (!column.empty()) add(column[i]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST(requests_come_out_as_they_went_in_and_damage_is_noticed) {
  for (const bool numeric : {false, true}) {
    Request request = full_request(random_table(1, 10, numeric, true));
    BlockSplit split = split_at_root();
    split.node = 2, split.branches = {0, 1, 0, 2}, split.missing = {}, split.shares = {0.25, 0.75};
    request.plan.push_back(split);
    request.refined = {{3, 1}, {-1, 0}};
    request.rules.class_factors = {1, 2, 0.5};
    request.rules.draws_of_blocks = {9, 8};
    const Bytes bytes = request.bytes();
    CHECK(Request(bytes).bytes() == bytes);
    CHECK(is_noticed(bytes, [](const Bytes& damaged) { Request read_only(damaged); }));
  }
}

TEST(replies_come_out_as_they_went_in_and_damage_is_noticed) {
  for (const bool numeric : {false, true}) {
    const SmallTable table = random_table(2, 80, numeric, numeric);
    Bytes state;
    const Bytes bytes = reply_of(block_of(table).block, state, full_request(table)).bytes();
    CHECK(Reply(bytes).bytes() == bytes);
    CHECK(is_noticed(bytes, [](const Bytes& damaged) { Reply read_only(damaged); }));
  }
}

TEST(replies_merge_in_any_order_and_grouping_to_that_of_one_block) {
  for (const bool numeric : {false, true})
    for (const bool weighted : {false, true}) {
      const SmallTable table = random_table(4, 300, numeric, weighted);
      const Request request = full_request(table);
      Bytes state;
      const Reply whole = reply_of(block_of(table).block, state, request);
      CHECK(whole.lists.size() > 20 && whole.rows.size() > 20);
      std::vector<Reply> replies;
      for (const EncodedBlock& block : blocks_of(table, {1, 90, 90, 200})) {
        Bytes own;
        replies.push_back(reply_of(block.block, own, request));
      }
      std::mt19937 random(5);
      for (int i = 0; i < 20; ++i) {
        std::vector<Reply> left = replies;
        while (left.size() > 1) {  // any two that stand side by side, in any order
          const std::size_t at = random() % (left.size() - 1);
          if (random() % 2 == 0) std::swap(left[at], left[at + 1]);
          left[at].merge(left[at + 1]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        CHECK(in_order(left[0]) == in_order(whole));
        CHECK(gathered(left[0].rows) == gathered(whole.rows));
      }
    }
}

TEST(replies_to_different_requests_are_not_merged) {
  const SmallTable table = random_table(4, 50, false, false);
  Request request = full_request(table);
  Bytes state;
  Reply reply = reply_of(block_of(table).block, state, request);
  for (const bool other_number : {true, false}) {
    Request other = request;
    if (other_number)
      other.number = 18;
    else
      other.n_cells += 1;
    Bytes own;
    const Reply to_other = reply_of(block_of(table).block, own, other);
    bool refused = false;
    try {
      reply.merge(to_other);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(a_column_that_a_block_does_not_have_is_an_error) {
  const SmallTable table = random_table(4, 50, false, false);
  for (const int where : {0, 1, 2}) {
    Request request = full_request(table);
    if (where == 0) request.plan[0].column = 3;
    if (where == 1) request.count.back().column = 3;
    if (where == 2) request.precede.back().column = 3;
    bool refused = false;
    try {
      Bytes state;
      reply_of(block_of(table).block, state, request);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}
