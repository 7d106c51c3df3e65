// Requests and replies as bytes, and the sum of replies.
#include "blocks/request.h"

#include <algorithm>
#include <utility>

namespace plaintree {
namespace {

constexpr std::uint64_t kRequestMagic = 0x3130515252545050ull;
constexpr std::uint64_t kReplyMagic = 0x3130504552545050ull;

// Calls with(field) for every field of the rules, which is written or read.
template <class Rules, class With>
void each_field(Rules& rules, With with) {
  with(rules.in_units), with(rules.unit_bits), with(rules.class_factors);
  with(rules.most), with(rules.scale), with(rules.is_scaled), with(rules.divides);
  with(rules.target_bits), with(rules.sampling), with(rules.draw_key), with(rules.n_table_rows);
  with(rules.hash_limit), with(rules.draws_of_blocks);
}
template <class R, class With>
void each_simple_field(R& request, With with) {
  with(request.number), with(request.criterion), with(request.target_unit), with(request.layout);
  with(request.slots), with(request.centres), with(request.count), with(request.refined);
  with(request.n_cells), with(request.large_cells), with(request.look), with(request.open),
      with(request.sums);
  with(request.spreads), with(request.gather);
  with(request.all_rows), with(request.columns);
}
template <class R, class With>
void each_reply_field(R& reply, With with) {
  with(reply.number), with(reply.layout), with(reply.small_cells), with(reply.cells),
      with(reply.sums);
  with(reply.ranges), with(reply.spreads);
  with(reply.lists.keys), with(reply.lists.pairs), with(reply.lists.codes);
  with(reply.lists.groups), with(reply.lists.weights), with(reply.lists.times);
  with(reply.lists.targets);
  with(reply.rows.nodes), with(reply.rows.classes), with(reply.rows.targets);
  with(reply.rows.weights), with(reply.rows.times), with(reply.rows.floats);
  with(reply.rows.doubles), with(reply.rows.codes), with(reply.rows.given_weights);
  with(reply.rows.runs), with(reply.preceding);
}

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}
template <class T>
void extend(std::vector<std::vector<T>>& to, const std::vector<std::vector<T>>& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) extend(to[i], from[i]);
}
// Adds element by element; one that is empty is nothing.
template <class T, class Add>
void merge_each(std::vector<T>& to, const std::vector<T>& from, Add add) {
  if (from.empty()) return;
  if (to.empty()) {
    to = from;
    return;
  }
  if (to.size() != from.size()) throw std::invalid_argument("replies to different requests");
  for (std::size_t i = 0; i < to.size(); ++i) add(to[i], from[i]);
}

}  // namespace

void BlockSplit::write(ByteWriter& writer) const {
  for (const std::int32_t n : {node, column, first_child, n_branches}) writer.write(n);
  writer.write(low_code);
  writer.write(high_code);
  writer.write(threshold);
  writer.write(branches);
  writer.write(missing);
  writer.write(shares);
}
BlockSplit BlockSplit::read(ByteReader& reader) {
  BlockSplit split;
  for (std::int32_t* n : {&split.node, &split.column, &split.first_child, &split.n_branches})
    reader.read(*n);
  reader.read(split.low_code);
  reader.read(split.high_code);
  reader.read(split.threshold);
  reader.read(split.branches);
  reader.read(split.missing);
  reader.read(split.shares);
  return split;
}

Request::Request(ByteSpan bytes) {
  ByteReader reader = unsealed(bytes, kRequestMagic, "a request");
  each_simple_field(*this, [&](auto& field) { reader.read(field); });
  each_field(rules, [&](auto& field) { reader.read(field); });
  const auto n_splits = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < n_splits; ++i) plan.push_back(BlockSplit::read(reader));
  const auto n_columns = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < n_columns; ++i) {
    Precede& own = precede.emplace_back();
    reader.read(own.column);
    reader.read(own.numbers);
  }
}

Bytes Request::bytes() const {
  ByteWriter writer;
  writer.write(kRequestMagic);
  each_simple_field(*this, [&](const auto& field) { writer.write(field); });
  each_field(rules, [&](const auto& field) { writer.write(field); });
  writer.write(static_cast<std::uint64_t>(plan.size()));
  for (const BlockSplit& split : plan) split.write(writer);
  writer.write(static_cast<std::uint64_t>(precede.size()));
  for (const Precede& own : precede) {
    writer.write(own.column);
    writer.write(own.numbers);
  }
  return sealed(writer);
}

Reply::Reply(ByteSpan bytes) {
  ByteReader reader = unsealed(bytes, kReplyMagic, "a reply");
  each_reply_field(*this, [&](auto& field) { reader.read(field); });
}

Bytes Reply::bytes() const {
  ByteWriter writer;
  writer.reserve(1024 + 4 * small_cells.size() + 8 * (cells.size() + sums.size()) +
                 48 * lists.size());
  writer.write(kReplyMagic);
  each_reply_field(*this, [&](const auto& field) { writer.write(field); });
  return sealed(writer);
}

void Lists::append(const Lists& other) {
  extend(keys, other.keys);
  extend(pairs, other.pairs);
  extend(codes, other.codes);
  extend(groups, other.groups);
  extend(weights, other.weights);
  extend(times, other.times);
  extend(targets, other.targets);
}

void GatheredRows::append(const GatheredRows& other) {
  extend(nodes, other.nodes);
  extend(classes, other.classes);
  extend(targets, other.targets);
  extend(weights, other.weights);
  extend(times, other.times);
  extend(floats, other.floats);
  extend(doubles, other.doubles);
  extend(codes, other.codes);
  extend(given_weights, other.given_weights);
  extend(runs, other.runs);
}

void Reply::merge(const Reply& other) {
  if (number != other.number) throw std::invalid_argument("replies to different requests");
  layout = other.layout;
  merge_each(small_cells, other.small_cells, [](auto& to, auto from) { to += from; });
  for (const auto& [to, from] : {std::pair{&cells, &other.cells}, std::pair{&sums, &other.sums}}) {
    if (to->empty()) to->resize(from->size(), 0);
    if (from->empty()) continue;
    if (to->size() != from->size()) throw std::invalid_argument("replies to different requests");
    add_cells(layout, to->data(), from->data(), from->size() / layout.width());
  }
  merge_each(ranges, other.ranges, [](TargetRange& to, const TargetRange& from) {
    to.least = std::min(to.least, from.least);
    to.most = std::max(to.most, from.most);
  });
  merge_each(spreads, other.spreads, [](SpreadSum& to, const SpreadSum& from) {
    to.whole += from.whole;
    to.parts += from.parts;
  });
  if (preceding.empty()) preceding.resize(other.preceding.size());
  for (std::size_t i = 0; i < other.preceding.size(); ++i)
    merge_each(preceding[i], other.preceding[i],
               [](double& to, double from) { to = std::max(to, from); });
  lists.append(other.lists);
  rows.append(other.rows);
}

void add_cells(const CellLayout& layout, std::int64_t* to, const std::int64_t* from,
               std::size_t n_groups) {
  const auto width = static_cast<std::size_t>(layout.width());
  if (layout.n_classes > 0) {
    for (std::size_t i = 0; i < n_groups * width; ++i) to[i] += from[i];
    return;
  }
  for (std::size_t g = 0; g < n_groups; ++g, to += width, from += width) {
    to[0] += from[0];
    add_wide(to + 1, wide_at(from + 1));
    add_wide(to + 3, wide_at(from + 3));
    for (std::size_t i = 5; i < width; ++i) to[i] += from[i];
  }
}

}  // namespace plaintree
