// The nodes of a checkpoint.
#include "levels/level_nodes.h"

namespace plaintree {
template <class Count>
void LevelNodes<Count>::write(ByteWriter& writer) const {
  writer.write(nodes), writer.write(sums), writer.write(bounds);
  writer.write(targets), writer.write(levels);
  writer.write(static_cast<std::uint64_t>(plan.size()));
  for (const BlockSplit& split : plan) split.write(writer);
}

template <class Count>
void LevelNodes<Count>::read(ByteReader& reader) {
  reader.read(nodes), reader.read(sums), reader.read(bounds);
  reader.read(targets), reader.read(levels);
  const auto n = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < n; ++i) plan.push_back(BlockSplit::read(reader));
}

template struct LevelNodes<std::int64_t>;
template struct LevelNodes<WideInt>;

}  // namespace plaintree
