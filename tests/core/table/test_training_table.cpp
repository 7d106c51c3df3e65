// How columns and weights are stored: bytes, sorted lists, bins, units.
#include <cstdint>
#include <limits>
#include <vector>

#include "check.h"
#include "table/training_table.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(few_values_become_bytes) {
  const std::vector<double> x{0.5, -0.0, kNaN, 0.0, -1};
  const TrainingTable table = table_of({numbers(x)}, {0, 1, 0, 1, 0});
  const Column& column = table.columns[0];
  CHECK(column.store == Column::Store::Bytes);
  CHECK((column.least == std::vector<double>{-1, 0, 0.5}));  // -0.0 and 0.0 are one value
  CHECK(column.has_missing);
  CHECK((table.codes.bytes == std::vector<std::uint8_t>{2, 1, 3, 1, 0}));
}

TEST(many_values_are_sorted) {
  std::vector<float> x(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>((i * 377) % 1000 - 500);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  const TrainingTable table = table_of({numbers(x)}, std::vector<std::int32_t>(1000, 1));
  CHECK(table.columns[0].store == Column::Store::Sorted);
  const std::vector<Item>& items = table.sorted[0];
  for (std::size_t i = 0; i + 2 < items.size(); ++i) {
    CHECK(x[table.row(items[i].entry)] < x[table.row(items[i + 1].entry)]);
    CHECK(items[i].rank + 1 == items[i + 1].rank);
  }
  CHECK(table.row(items.back().entry) == 7 && items.back().rank == kMissingRank);
}

TEST(bins_hold_equal_shares) {
  std::vector<double> x(1000);
  for (int i = 0; i < 1000; ++i) x[i] = i;
  Params params;
  params.max_bins = 4;
  const TrainingTable table = table_of({numbers(x)}, std::vector<std::int32_t>(1000, 1), params);
  const Column& column = table.columns[0];
  CHECK(column.store == Column::Store::Bytes && column.n_codes == 4);
  CHECK((column.least == std::vector<double>{0, 250, 500, 750}));
  CHECK((column.greatest() == std::vector<double>{249, 499, 749, 999}));
}

TEST(weights_are_exact_units) {
  const TrainingTable table =
      table_of({numbers(std::vector<double>{1, 2, 3})}, {0, 1, 0}, {}, {0.5, 0, 3});
  CHECK(table.entries.size() == 2);  // rows of weight zero are left out
  CHECK(static_cast<double>(table.weights[0]) * table.unit == 0.5);
  CHECK(static_cast<double>(table.weights[2]) * table.unit == 3);
}
