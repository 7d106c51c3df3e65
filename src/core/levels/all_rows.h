// All rows of a table at once, for what follows growing: pruning that sends rows down the tree.
//
// Rows are gathered as those of the root, with the columns that are needed and no others. Their
// order is that of replies.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/params.h"
#include "blocks/request.h"
#include "levels/level_grower.h"

namespace plaintree {

// A request for the rows that count anything.
Bytes rows_request(ByteSpan facts, const Params& params, const LevelOptions& options,
                   std::vector<std::int32_t> columns);

struct AllRows {
  GatheredRows rows;
  std::vector<double> weights;  // empty: every row counts 1
};

// The rows of the reply; facts, parameters and options are those of the request.
AllRows rows_of_reply(ByteSpan reply, ByteSpan facts, const Params& params,
                      const LevelOptions& options);

}  // namespace plaintree
