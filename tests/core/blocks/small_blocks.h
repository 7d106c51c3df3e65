// Small tables with all that makes rows differ, in blocks, for the tests of blocks and of growing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "blocks/answer.h"
#include "blocks/block.h"
#include "tables.h"

namespace plaintree::testing {

// Numbers with ties, -0.0, infinities and missing values; floats; categories; classes or targets.
struct SmallTable {
  std::vector<double> x;
  std::vector<float> single;
  std::vector<std::int32_t> colour;  // of 4; the last one is in the first rows only
  std::vector<std::int32_t> classes;
  std::vector<double> targets, weights;
  int n_classes = 3;  // 0: the target is numeric

  std::size_t size() const { return x.size(); }
  std::vector<ColumnView> views() const { return {numbers(x), numbers(single), codes(colour, 4)}; }
  std::vector<std::vector<double>> borders() const { return {{-1, 0, 0.5, 2}, {-0.5, 0.5}, {}}; }
  SmallTable part(std::size_t begin, std::size_t end) const {
    const auto cut = [&](auto& column) {
      if (!column.empty())
        column = {column.begin() + static_cast<std::ptrdiff_t>(begin),
                  column.begin() + static_cast<std::ptrdiff_t>(end)};
    };
    SmallTable result = *this;
    cut(result.x), cut(result.single), cut(result.colour);
    cut(result.classes), cut(result.targets), cut(result.weights);
    return result;
  }
};

inline SmallTable random_table(std::uint32_t seed, std::size_t n_rows, bool numeric,
                               bool weighted) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<double> values{-0.0, 0.0, -1, -0.25, 0.5, 0.75, 2, 3, kNaN, -kInfinity};
  SmallTable t;
  if (numeric) t.n_classes = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    t.x.push_back(values[static_cast<std::size_t>(below(10))]);
    t.single.push_back(below(9) == 0 ? static_cast<float>(kNaN)
                                     : static_cast<float>(below(1000)) / 500 - 1);
    t.colour.push_back(i < 5 ? 3 : below(4) - 1);
    const double signal = 2 * (t.x.back() > 0.1) + (t.single.back() > 0) + (t.colour.back() == 1);
    if (numeric)
      t.targets.push_back(signal + below(8) * 0.25);
    else
      t.classes.push_back(static_cast<std::int32_t>(signal / 2 + below(3) / 2.0) % 3);
    if (weighted) t.weights.push_back(0.5 * (1 + below(4)));
  }
  return t;
}

inline EncodedBlock block_of(const SmallTable& table, std::uint64_t first_row = 0) {
  const std::vector<ColumnView> columns = table.views();
  const BlockEncoder encoder(table.borders());
  return encoder.encode({columns, table.classes, table.n_classes, table.weights, table.targets},
                        first_row);
}

// The rows in blocks that end there, and at the end. Parts without rows have no block.
inline std::vector<EncodedBlock> blocks_of(const SmallTable& table, std::vector<std::size_t> ends) {
  std::vector<EncodedBlock> blocks;
  ends.push_back(table.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (begin == end) continue;
    blocks.push_back(block_of(table.part(begin, end), begin));
    begin = end;
  }
  return blocks;
}

inline Bytes facts_of(const std::vector<EncodedBlock>& blocks) {
  TableFacts facts(blocks.front().facts);
  for (std::size_t i = 1; i < blocks.size(); ++i) facts.merge(TableFacts(blocks[i].facts));
  return facts.bytes();
}

// What a block replies, and where its rows stand then.
inline Reply reply_of(ByteSpan block, Bytes& state, const Request& request) {
  const BlockView view(block);
  BlockRows rows = BlockRows::read(state, view, request.rules);
  rows.follow(view, request);
  state = rows.bytes();
  Answer answer(request);
  answer.add(view, rows);
  return answer.take();
}

// Calls act() with many damaged copies: every one must be an error of its own kind, or harmless if
// `may_pass`.
template <class Act>
bool is_noticed(const Bytes& bytes, Act act, bool may_pass = false) {
  std::mt19937 random(1);
  bool noticed = true;
  const auto attempt = [&](const Bytes& damaged) {
    try {
      act(damaged);
      noticed = noticed && may_pass;
    } catch (const std::invalid_argument&) {
    } catch (const std::bad_alloc&) {
      noticed = false;
    }
  };
  const std::size_t step = std::max<std::size_t>(1, bytes.size() / 200);
  for (std::size_t n = 0; n < bytes.size(); n += step)
    attempt(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)));
  for (int i = 0; i < 500; ++i) {
    Bytes damaged = bytes;
    for (unsigned times = 1 + random() % 4; times > 0; --times) {
      std::uint8_t& byte = damaged[random() % damaged.size()];
      byte = static_cast<std::uint8_t>(byte ^ (1 + random() % 255));
    }
    if (damaged != bytes) attempt(damaged);
  }
  return noticed;
}

}  // namespace plaintree::testing
