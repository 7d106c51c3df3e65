// What a grower knows after a level, as bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/bytes.h"
#include "levels/growth.h"

namespace plaintree {

inline void write_node(ByteWriter& writer, const LevelNode& node) {
  writer.write(node.node), writer.write(node.depth), writer.write(node.path);
  writer.write(node.rows), writer.write(node.times), writer.write(node.needs_sums);
  writer.write(node.first_code), writer.write(node.last_code);
  std::vector<std::uint8_t> closed;
  if (node.closed) closed.assign(node.closed->columns.begin(), node.closed->columns.end());
  writer.write(closed);
  writer.write(node.closed ? node.closed->groups : std::vector<std::int32_t>{});
}
inline LevelNode read_node(ByteReader& reader) {
  LevelNode node;
  reader.read(node.node), reader.read(node.depth), reader.read(node.path);
  reader.read(node.rows), reader.read(node.times), reader.read(node.needs_sums);
  reader.read(node.first_code), reader.read(node.last_code);
  std::vector<std::uint8_t> columns;
  std::vector<std::int32_t> groups;
  reader.read(columns), reader.read(groups);
  if (columns.empty()) return node;
  auto closed = std::make_shared<ClosedColumns>();
  closed->columns.assign(columns.begin(), columns.end());
  closed->groups = groups;
  node.closed = closed;
  return node;
}

inline constexpr std::uint64_t kCheckpointMagic = 0x313050434C545050ull;

template <Statistics S>
Bytes checkpoint_of(const Growth<S>& g, std::uint64_t n_requests) {
  ByteWriter writer;
  writer.write(kCheckpointMagic);
  writer.write(g.facts.fingerprint());
  writer.write(g.level_number);
  writer.write(g.root_weight);
  writer.write(n_requests);
  writer.write(g.unbounded);
  g.nodes.write(writer);
  writer.write(static_cast<std::uint64_t>(g.level.size()));
  for (const LevelNode& node : g.level) write_node(writer, node);
  writer.write(static_cast<std::uint64_t>(g.set_aside.size()));
  for (const LevelNode& node : g.set_aside) write_node(writer, node);
  return sealed(writer);
}

template <Statistics S>
void restore(Growth<S>& g, std::uint64_t& n_requests, ByteSpan checkpoint) {
  ByteReader reader = unsealed(checkpoint, kCheckpointMagic, "a checkpoint");
  if (reader.template read<std::uint64_t>() != g.facts.fingerprint())
    throw std::invalid_argument("a checkpoint of another table or of other parameters");
  reader.read(g.level_number);
  reader.read(g.root_weight);
  reader.read(n_requests);
  reader.read(g.unbounded);
  g.nodes.read(reader);
  for (std::vector<LevelNode>* nodes : {&g.level, &g.set_aside}) {
    const auto n = reader.template read<std::uint64_t>();
    for (std::uint64_t i = 0; i < n; ++i) nodes->push_back(read_node(reader));
  }
  g.facts.set_many_valued(g.root_weight);
}

}  // namespace plaintree
