#include "levels/all_rows.h"

#include <cmath>
#include <utility>

#include "levels/level_facts.h"

namespace plaintree {

Bytes rows_request(ByteSpan facts, const Params& params, const LevelOptions& options,
                   std::vector<std::int32_t> columns) {
  Request request = LevelFacts(TableFacts(facts), params, options).request(0);
  request.gather = {0};
  request.gather_columns = std::move(columns);
  return request.bytes();
}

AllRows rows_of_reply(ByteSpan reply, ByteSpan facts, const Params& params,
                      const LevelOptions& options) {
  const double unit = LevelFacts(TableFacts(facts), params, options).unit();
  AllRows all{std::move(Reply(reply).rows), {}};
  all.weights.reserve(all.rows.weights.size());
  for (const std::int64_t weight : all.rows.weights)
    all.weights.push_back(static_cast<double>(weight) * unit);
  return all;
}

}  // namespace plaintree
