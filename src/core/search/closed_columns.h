// The columns that a node may not be split on.
//
// A column is closed where it is forbidden, where a node above was split on it many-way, and where
// it may not interact with a column above: a group of interacting columns is open as long as it has
// all columns on the path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/params.h"

namespace plaintree {

struct ClosedColumns {
  std::vector<bool> columns;
  std::vector<std::int32_t> groups;  // those that are open; not used where columns have none
};
using Closed = std::shared_ptr<const ClosedColumns>;  // null: no column is closed

inline Closed closed_at_root(const Params& params, std::size_t n_columns) {
  if (params.forbidden.empty() && params.interactions.empty()) return nullptr;
  auto closed = std::make_shared<ClosedColumns>();
  closed->columns.resize(n_columns, false);
  for (const std::int32_t column : params.forbidden) closed->columns[column] = true;
  for (std::size_t g = 0; g < params.interactions.size(); ++g)
    closed->groups.push_back(static_cast<std::int32_t>(g));
  return closed;
}

// Those of the children of a node that is split on a column, for the last time if it is used up.
inline Closed closed_below(const Closed& above, const Params& params, std::size_t n_columns,
                           std::int32_t column, bool used_up) {
  std::vector<std::int32_t> groups;
  if (!params.interactions.empty())
    for (const std::int32_t g : above->groups)
      if (const auto& group = params.interactions[g];
          std::find(group.begin(), group.end(), column) != group.end())
        groups.push_back(g);
  const bool fewer_groups = above && groups.size() < above->groups.size();
  if (!used_up && !fewer_groups) return above;
  auto closed = above ? std::make_shared<ClosedColumns>(*above) : std::make_shared<ClosedColumns>();
  closed->columns.resize(n_columns, false);
  if (used_up) closed->columns[column] = true;
  if (!fewer_groups) return closed;
  std::vector<bool> open(n_columns, false);
  for (const std::int32_t g : groups)
    for (const std::int32_t other : params.interactions[g]) open[other] = true;
  for (std::size_t j = 0; j < n_columns; ++j)
    if (!open[j]) closed->columns[j] = true;
  closed->groups = std::move(groups);
  return closed;
}

}  // namespace plaintree
