// Blocks: what is encoded is read again, damage is noticed, facts merge in any order.
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "blocks/small_blocks.h"
#include "check.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

using BordersOf = std::vector<std::vector<double>>;

template <class Call>
bool is_refused(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

std::uint32_t borders_below(const std::vector<double>& borders, double value) {
  return static_cast<std::uint32_t>(
      std::count_if(borders.begin(), borders.end(), [&](double b) { return b < value; }));
}

}  // namespace

TEST(blocks_hold_what_was_encoded) {
  for (const bool numeric : {false, true})
    for (const bool weighted : {false, true}) {
      const SmallTable table = random_table(1, 200, numeric, weighted);
      const Bytes block = block_of(table, 7).block;
      check_block(block);
      const BlockView view(block);
      CHECK(view.n_rows == 200 && view.first_row == 7 && view.columns.size() == 3);
      CHECK(view.weights.size() == table.weights.size());
      for (std::uint32_t i = 0; i < 200; ++i) {
        const bool is_missing = std::isnan(table.x[i]);
        CHECK(view.columns[0].code(i) ==
              (is_missing ? 5u : borders_below(table.borders()[0], table.x[i])));
        CHECK(is_missing ? std::isnan(view.columns[0].value(i))
                         : view.columns[0].value(i) == table.x[i]);
        CHECK(std::isnan(table.single[i]) || view.columns[1].value(i) == table.single[i]);
        CHECK(view.columns[2].code(i) ==
              (table.colour[i] < 0 ? 4u : static_cast<std::uint32_t>(table.colour[i])));
        if (numeric) CHECK(view.targets[i] == table.targets[i]);
        if (!numeric) CHECK(view.classes[i] == table.classes[i]);
        if (weighted) CHECK(view.weights[i] == table.weights[i]);
      }
    }
}

TEST(columns_of_many_codes_take_more_bytes) {
  SmallTable table = random_table(1, 50, false, false);
  std::vector<double> many(70'000);
  std::iota(many.begin(), many.end(), -35'000.0);
  for (const std::size_t n : {254, 255, 60'000}) {
    const std::vector<double> some(many.begin(), many.begin() + static_cast<std::ptrdiff_t>(n));
    const BlockEncoder encoder(BordersOf{some});
    const std::vector<ColumnView> columns{numbers(table.x)};
    const Bytes block = encoder.encode({columns, table.classes, 3, {}}, 0).block;
    const BlockView view(block);
    CHECK(view.columns[0].n_codes == n + 1);
    CHECK(view.columns[0].code_bytes == (n < 255 ? 1 : 2));
  }
  for (const int n : {255, 256, 65'535, 65'536}) {
    const std::vector<ColumnView> columns{codes(table.colour, n)};
    const Bytes block = BlockEncoder(BordersOf(1)).encode({columns, table.classes, 3, {}}, 0).block;
    const BlockView view(block);
    CHECK(view.columns[0].code_bytes == (n <= 255 ? 1 : n <= 65'535 ? 2 : 4));
    for (std::uint32_t i = 0; i < 50; ++i)
      CHECK(view.columns[0].code(i) ==
            static_cast<std::uint32_t>(table.colour[i] < 0 ? n : table.colour[i]));
  }
}

TEST(negative_zero_and_every_missing_value_are_encoded_alike) {
  SmallTable table = random_table(1, 3, false, false), other = table;
  table.x = {0.0, kNaN, 1.0};
  other.x = {-0.0, -kNaN, 1.0};
  table.single = {0.0f, 1.0f, 2.0f};
  other.single = {-0.0f, 1.0f, 2.0f};
  const EncodedBlock one = block_of(table), two = block_of(other);
  CHECK(one.facts == two.facts);
  const BlockView a(one.block), b(two.block);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(a.columns[0].code(i) == b.columns[0].code(i));
    CHECK(!std::signbit(b.columns[0].value(0)) && !std::signbit(b.columns[1].value(0)));
  }
}

TEST(a_changed_block_is_refused) {
  const Bytes block = block_of(random_table(1, 60, false, true)).block;
  CHECK(is_noticed(block, [](const Bytes& damaged) { check_block(damaged); }));
  for (std::size_t i = 0; i < block.size(); ++i) {
    Bytes damaged = block;
    damaged[i] ^= 1;
    CHECK(is_refused([&] { check_block(damaged); }));
  }
}

TEST(the_structure_of_a_damaged_block_is_read_safely) {
  const Bytes block = block_of(random_table(1, 60, true, true)).block;
  const auto view = [](const Bytes& damaged) { const BlockView read_only(damaged); };
  CHECK(is_noticed(block, view, true));
}

TEST(what_does_not_fit_a_block_is_refused) {
  const SmallTable table = random_table(1, 20, false, false);
  const std::vector<ColumnView> one{numbers(table.x)}, two{numbers(table.x), numbers(table.x)};
  const std::vector<std::int32_t> classes(20, 3);
  const BlockEncoder encoder(BordersOf{{0.0}});
  CHECK(is_refused([&] { encoder.encode({two, table.classes, 3, {}}, 0); }));
  CHECK(is_refused([&] { encoder.encode({one, classes, 3, {}}, 0); }));
  CHECK(is_refused([&] { BlockEncoder(BordersOf{{1.0, 1.0}}); }));
  CHECK(is_refused([&] { BlockEncoder(BordersOf{{1.0, kNaN}}); }));
  const std::vector<ColumnView> category{codes(table.colour, 2)};
  CHECK(
      is_refused([&] { BlockEncoder(BordersOf(1)).encode({category, table.classes, 3, {}}, 0); }));
}

// ---------------------------------------------------------------- facts

TEST(facts_merge_in_any_order_and_grouping) {
  for (const bool numeric : {false, true}) {
    const SmallTable table = random_table(3, 300, numeric, true);
    std::vector<EncodedBlock> blocks = blocks_of(table, {40, 40, 100, 220});
    const Bytes whole = facts_of(blocks);
    CHECK(TableFacts(whole).hash == TableFacts(block_of(table).facts).hash);
    CHECK(TableFacts(whole).n_rows == 300);
    std::mt19937 random(5);
    for (int i = 0; i < 20; ++i) {
      std::shuffle(blocks.begin(), blocks.end(), random);
      CHECK(facts_of(blocks) == whole);
      const auto middle =
          blocks.begin() + 1 + static_cast<std::ptrdiff_t>(random() % (blocks.size() - 1));
      TableFacts left(facts_of({blocks.begin(), middle}));
      left.merge(TableFacts(facts_of({middle, blocks.end()})));
      CHECK(left.bytes() == whole);
    }
  }
}

TEST(facts_of_other_columns_targets_or_borders_are_not_merged) {
  const SmallTable table = random_table(3, 30, false, false);
  const Bytes facts = block_of(table).facts;
  const auto is_another = [&](const Bytes& other) {
    return is_refused([&] { TableFacts(facts).merge(TableFacts(other)); });
  };
  CHECK(is_another(block_of(random_table(3, 30, true, false)).facts));
  CHECK(is_another(block_of(random_table(3, 30, false, true)).facts));
  const std::vector<ColumnView> columns = table.views();
  const Examples rows{columns, table.classes, 3, {}};
  CHECK(is_another(BlockEncoder({{-1, 0, 0.5, 2.5}, {-0.5, 0.5}, {}}).encode(rows, 0).facts));
  CHECK(is_another(BlockEncoder({{-1, 0, 0.5}, {-0.5, 0.5}, {}}).encode(rows, 0).facts));
  CHECK(!is_another(BlockEncoder(table.borders()).encode(rows, 0).facts));
}

TEST(facts_come_out_as_they_went_in_and_damage_is_noticed) {
  const Bytes facts = block_of(random_table(3, 90, true, true)).facts;
  CHECK(TableFacts(facts).bytes() == facts);
  CHECK(is_noticed(facts, [](const Bytes& damaged) { TableFacts read_only(damaged); }));
}
