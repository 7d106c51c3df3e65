// A source of blocks in memory, and growing from it, for the tests of growing by levels.
#pragma once

#include <bit>
#include <memory>
#include <vector>

#include "blocks/small_blocks.h"
#include "levels/level_grower.h"

namespace plaintree::testing {

struct Source {
  std::vector<EncodedBlock> blocks;
  Bytes facts;
  std::vector<Bytes> states;

  Source(const SmallTable& table, const std::vector<std::size_t>& ends)
      : blocks(blocks_of(table, ends)), facts(facts_of(blocks)), states(blocks.size()) {}

  // `forgets`: states are lost, and rows follow all splits again.
  Bytes answer(const Bytes& bytes, bool forgets = false) {
    const Request request(bytes);
    Reply all;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (forgets) states[b].clear();
      const Reply own = reply_of(blocks[b].block, states[b], request);
      if (b == 0)
        all = own;
      else
        all.merge(own);
    }
    return all.bytes();
  }
};

inline bool not_interrupted() { return false; }

// Answers all requests; `after(grower)` is called after each.
template <class After>
void answer_all(LevelGrower& grower, Source& source, bool forgets, After after) {
  while (const auto request = grower.next()) {
    grower.answer(source.answer(*request, forgets), not_interrupted);
    after(grower);
  }
}
inline TreeArrays grown(Source& source, const Params& params, const LevelOptions& options,
                        ByteSpan checkpoint = {}, bool forgets = false) {
  const auto grower = make_level_grower(source.facts, params, options, checkpoint);
  answer_all(*grower, source, forgets, [](const LevelGrower&) {});
  return grower->finish();
}

// All that the tree is, but for scores: sums of blocks and of rows are rounded alike, and they are
// computed from these, so they are equal as well.
inline bool is_same_tree(const TreeArrays& a, const TreeArrays& b) {
  const auto same_bits = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](auto u, auto v) {
             return u == v || (u != u && v != v);
           });
  };
  return a.kind == b.kind && a.attribute == b.attribute && same_bits(a.threshold, b.threshold) &&
         a.first_child == b.first_child && a.n_children == b.n_children &&
         a.missing_child == b.missing_child && a.level_begin == b.level_begin &&
         a.level_end == b.level_end && a.levels == b.levels && a.n_rows == b.n_rows &&
         same_bits(a.weight, b.weight) && a.label == b.label && same_bits(a.value, b.value) &&
         same_bits(a.class_weights, b.class_weights);
}

}  // namespace plaintree::testing
