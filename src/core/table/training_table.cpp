// Making the training table: codes for columns of few values, sorted lists for the others.
//
// 1. weights become integer multiples of a unit; rows of weight zero are left out
// 2. every numeric column is tried as a byte column (a small hash table of its values, given up
//    at the 256th distinct one), otherwise sorted by radix sort and ranked
// 3. byte columns are gathered into one row-major matrix, block by block to stay in the cache
#include "table/training_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/radix_sort.h"
#include "base/sort_key.h"
#include "stats/weight_units.h"

namespace plaintree {
namespace {

constexpr int kMostByteCodes = 255;

// ---------------------------------------------------------------- weights

void set_weights(TrainingTable& table, std::span<const double> weights, std::size_t n_draws) {
  const WeightUnits units(weights, std::max<std::size_t>(table.n_rows, n_draws));
  table.unit = units.unit();
  table.weights.resize(table.n_rows);
  for (std::size_t i = 0; i < table.n_rows; ++i)
    table.weights[i] = units.of(weights.empty() ? 1.0 : weights[i]);
}

// The unit follows from the largest target alone, so it does not depend on the order of rows.
void set_targets(TrainingTable& table, std::span<const double> targets, const GivenFacts* given) {
  double largest = 0;
  for (const double target : targets) largest = std::max(largest, std::fabs(target));
  const int bits = given ? given->target_bits : target_bits(largest);
  table.target_unit = std::ldexp(1.0, -bits);
  table.targets.reserve(targets.size());
  for (const double target : targets)
    table.targets.push_back(std::llrint(std::ldexp(target, bits)));
}

void set_entries(TrainingTable& table, std::span<const std::int32_t> classes, bool repeats) {
  if (table.has_targets()) {
    table.repeat_bits =
        repeats && static_cast<std::uint64_t>(table.n_rows) << kRepeatBits < 1ull << 32
            ? kRepeatBits
            : 0;
    for (std::uint32_t row = 0; row < table.n_rows; ++row)
      if (table.weights.empty() || table.weights[row] > 0)
        table.entries.push_back(row << table.repeat_bits);
    return;
  }
  const auto bits = std::bit_width(static_cast<unsigned>(std::max(table.n_classes - 1, 1)));
  const auto fit = [&](int n) {
    return (static_cast<std::uint64_t>(table.n_rows) << n) < (1ull << 32);
  };
  const bool fits = fit(bits);
  table.class_bits = fits ? static_cast<int>(bits) : 0;
  table.repeat_bits = repeats && fit(bits + kRepeatBits) ? kRepeatBits : 0;
  if (!fits) table.classes.assign(classes.begin(), classes.end());
  table.entries.reserve(table.n_rows);
  for (std::uint32_t row = 0; row < table.n_rows; ++row) {
    if (!table.weights.empty() && table.weights[row] == 0) continue;
    const auto low = fits ? static_cast<Entry>(classes[row]) : 0u;
    table.entries.push_back((row << (table.class_bits + table.repeat_bits)) | low);
  }
}

// ---------------------------------------------------------------- byte columns

// Distinct values of a column, numbered as they come, at most kMostByteCodes of them.
template <class Float>
class FewValues {
  using Key = SortKey<Float>;

 public:
  // The number of a value, or -1 when there are too many.
  int number_of(Float value) {
    const Key key = sort_key(value);
    // Most columns of few values have two, and which of them comes next cannot be foreseen.
    const bool is_second = key == first_two_[1];
    if (is_second | (key == first_two_[0])) return is_second;
    std::size_t slot = static_cast<std::size_t>((key * kMultiplier) >> (sizeof(Key) * 8 - 10));
    while (number_[slot] >= 0 && keys_[slot] != key) slot = (slot + 1) & 1023;
    if (number_[slot] < 0) {
      if (values.size() == kMostByteCodes) return -1;
      if (values.size() < 2) first_two_[values.size()] = key;
      keys_[slot] = key;
      number_[slot] = static_cast<std::int16_t>(values.size());
      values.push_back(value + Float(0));
    }
    return number_[slot];
  }
  FewValues() { std::fill(std::begin(number_), std::end(number_), std::int16_t(-1)); }
  std::vector<Float> values;

 private:
  static constexpr Key kMultiplier = static_cast<Key>(0x9E3779B97F4A7C15ull | 1);
  static constexpr Key kNobody = ~Key(0);  // the key of a NaN, which has no number
  Key first_two_[2] = {kNobody, kNobody};
  Key keys_[1024];
  std::int16_t number_[1024];
};

// Fills `codes` (by row) and the column's values; false if the column has too many values.
template <class Float>
bool code_few_values(const TrainingTable& table, Column& column, std::vector<std::uint8_t>& codes) {
  FewValues<Float> few;
  codes.resize(table.n_rows);
  constexpr std::uint8_t kGap = 255;
  for (const Entry entry : table.entries) {
    const std::uint32_t row = table.row(entry);
    const auto value = *reinterpret_cast<const Float*>(
        column.view.data + static_cast<std::ptrdiff_t>(row) * column.view.stride);
    if (std::isnan(value)) {
      codes[row] = kGap;
      column.has_missing = true;
      continue;
    }
    const int number = few.number_of(value);
    if (number < 0) return false;
    codes[row] = static_cast<std::uint8_t>(number);
  }
  const int n = static_cast<int>(few.values.size());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return few.values[a] < few.values[b]; });
  std::uint8_t rank[256] = {};
  for (int i = 0; i < n; ++i) {
    rank[order[i]] = static_cast<std::uint8_t>(i);
    column.least.push_back(few.values[order[i]]);
  }
  rank[kGap] = static_cast<std::uint8_t>(n);
  column.n_codes = n;
  if (!column.has_missing && std::is_sorted(order.begin(), order.end())) return true;
  for (const Entry entry : table.entries) codes[table.row(entry)] = rank[codes[table.row(entry)]];
  return true;
}

// ---------------------------------------------------------------- sorted columns

// Elements that are sorted. A float's key fits into the item itself; a double's does not.
struct WideItem {
  std::uint64_t key;
  Entry entry;
};
inline std::uint32_t key_of(const Item& item) { return item.rank; }
inline std::uint64_t key_of(const WideItem& item) { return item.key; }
inline double value_of(const Item& item) { return value_of_key<float>(item.rank); }
inline double value_of(const WideItem& item) { return value_of_key<double>(item.key); }

// Buffers in which a thread sorts column after column: memory that is new each time is slow.
struct SortingRoom {
  std::vector<Item> items, spare_items;
  std::vector<WideItem> wide, spare_wide;
};

template <class Keyed>
std::size_t distinct_keys(const std::vector<Keyed>& elements) {
  std::size_t n = !elements.empty();
  for (std::size_t i = 1; i < elements.size(); ++i)
    n += key_of(elements[i]) != key_of(elements[i - 1]);
  return n;
}

// Numbers the distinct keys of sorted elements: calls set(position, rank) for each element, after
// its key was read for the last time. With bins (0: none), a rank stands for several neighbouring
// keys. Returns the number of ranks.
template <class Keyed, class Set>
std::uint32_t rank_by_key(const std::vector<Keyed>& elements, int n_bins, Set set) {
  const std::size_t n = elements.size();
  const double per_bin = static_cast<double>(n) / std::max(n_bins, 1);
  // A bin is full once the rows up to here reach its share of all rows.
  const auto full = [&](std::size_t i, std::uint32_t rank) {
    return n_bins == 0 || (static_cast<double>(i + 1) >= per_bin * (rank + 1) &&
                           rank + 1 < static_cast<std::uint32_t>(n_bins));
  };
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const bool last_of_key = key_of(elements[i + 1]) != key_of(elements[i]);
    set(i, rank);
    if (last_of_key && full(i, rank)) ++rank;
  }
  if (n == 0) return 0;
  set(n - 1, rank);
  return rank + 1;
}

// The sorted list of a column: known items by rank, then the missing ones.
template <class Keyed, class Make>
void sort_column(const TrainingTable& table, Column& column, std::vector<Item>& items,
                 const Params& params, std::vector<Keyed>& elements, std::vector<Keyed>& spare,
                 Make make) {
  std::vector<Entry> gaps;
  elements.clear();
  if (elements.capacity() == 0) reserve_large(elements, table.entries.size());
  for (const Entry entry : table.entries) {
    const double value = column.view.number(table.row(entry));
    if (std::isnan(value))
      gaps.push_back(entry);
    else
      elements.push_back(make(entry, value));
  }
  radix_sort(elements, spare, [](const Keyed& e) { return key_of(e); });
  const std::size_t n_known = elements.size();
  const bool keep_values =
      params.data_value_thresholds || params.max_bins > 0 || params.columns_per_node > 0;
  if constexpr (!std::is_same_v<Keyed, Item>) items.resize(n_known);
  const std::size_t n_distinct = distinct_keys(elements);
  const bool binned = params.max_bins > 0 && n_distinct > static_cast<std::size_t>(params.max_bins);
  const int n_bins = binned ? params.max_bins : 0;
  if (keep_values)
    reserve_large(column.least, binned ? static_cast<std::size_t>(n_bins) : n_distinct);
  const std::uint32_t n_ranks =
      rank_by_key(elements, n_bins, [&](std::size_t i, std::uint32_t rank) {
        const double value = value_of(elements[i]);  // the table's own are far apart in memory
        items[i] = {elements[i].entry, rank};
        if (!keep_values) return;
        const bool first = rank == column.least.size();
        if (first) column.least.push_back(value);
        if (params.max_bins == 0) return;
        if (first) column.bin_greatest.push_back(value);
        column.bin_greatest.back() = value;
      });
  column.n_codes = static_cast<int>(n_ranks);
  column.has_missing = !gaps.empty();
  for (const Entry gap : gaps) items.push_back({gap, kMissingRank});
}

// ---------------------------------------------------------------- columns

// Codes of a column that may end up in the byte matrix, until it is gathered.
using ByteCodes = std::vector<std::uint8_t>;

void code_categories(const TrainingTable& table, Column& column, ByteCodes& bytes,
                     SplitCodes& wide) {
  column.numeric = false;
  column.n_codes = column.view.n_categories;
  const bool few = column.n_codes <= kMostByteCodes;
  column.store = few ? Column::Store::Bytes : Column::Store::Wide;
  if (few)
    bytes.resize(table.n_rows);
  else
    wide.resize(table.n_rows, 1, column.n_codes, SplitCodes::Lower::Apart);
  for (const Entry entry : table.entries) {
    const std::uint32_t row = table.row(entry);
    std::int32_t code = column.view.code(row);
    if (code >= column.n_codes) throw std::invalid_argument("a category code is out of range");
    if (code < 0) {
      code = column.n_codes;
      column.has_missing = true;
    }
    if (few)
      bytes[row] = static_cast<std::uint8_t>(code);
    else
      wide.set(row, 0, code);
  }
}

void code_numbers(const TrainingTable& table, Column& column, ByteCodes& bytes, SortingRoom& room,
                  const Params& params) {
  const bool single = column.view.type == ColumnView::Type::Float32;
  const bool few = single ? code_few_values<float>(table, column, bytes)
                          : code_few_values<double>(table, column, bytes);
  // With bins, a column of few values may still have too many of them.
  if (few && (params.max_bins == 0 || column.n_codes <= params.max_bins)) {
    column.store = Column::Store::Bytes;
    return;
  }
  bytes = {};
  column.least.clear();
  column.bin_greatest.clear();
  column.store = Column::Store::Sorted;
  if (single) {
    const auto make = [](Entry entry, double value) {
      return Item{entry, sort_key(static_cast<float>(value))};
    };
    sort_column(table, column, room.items, params, room.items, room.spare_items, make);
  } else {
    const auto make = [](Entry entry, double value) { return WideItem{sort_key(value), entry}; };
    sort_column(table, column, room.items, params, room.wide, room.spare_wide, make);
  }
}

// Binned columns of up to 255 bins are counted like any other codes.
void bins_to_bytes(const TrainingTable& table, Column& column, ByteCodes& bytes,
                   const std::vector<Item>& items) {
  if (column.n_codes > kMostByteCodes || column.least.empty()) return;
  bytes.resize(table.n_rows);
  for (const Item item : items) {
    const bool gap = item.rank == kMissingRank;
    bytes[table.row(item.entry)] = static_cast<std::uint8_t>(gap ? column.n_codes : item.rank);
  }
  column.store = Column::Store::Bytes;
}

// Columns that a node looks at only when it draws them are sorted there and then, by code.
void ranks_to_codes(const TrainingTable& table, Column& column, SplitCodes& codes,
                    const std::vector<Item>& items) {
  codes.resize(table.n_rows, 1, column.n_codes, SplitCodes::Lower::Apart);
  for (const Item item : items) {
    const bool gap = item.rank == kMissingRank;
    codes.set(table.row(item.entry), 0,
              gap ? column.n_codes : static_cast<std::int32_t>(item.rank));
  }
  column.store = Column::Store::Wide;
}

// Calls fill(begin, end) of stretches of rows that stay in the cache until all columns are there.
template <class Fill>
void by_stretches(std::uint32_t n_rows, Team& team, Fill fill) {
  constexpr std::uint32_t kStretch = 2048;
  const int n = static_cast<int>((n_rows + kStretch - 1) / kStretch);
  team.run(n, [&](int i, int) {
    const std::uint32_t begin = static_cast<std::uint32_t>(i) * kStretch;
    fill(begin, std::min(begin + kStretch, n_rows));
  });
}

// Byte columns side by side, one row after the other.
void gather_bytes(TrainingTable& table, const std::vector<ByteCodes>& codes, Team& team) {
  std::vector<const std::uint8_t*> sources;
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (table.columns[j].is_in_matrix()) sources.push_back(codes[j].data());
  const std::size_t width = table.codes.n_bytes = sources.size();
  if (width == 0) return;
  table.codes.bytes.resize(width * table.n_rows);
  by_stretches(table.n_rows, team, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::size_t c = 0; c < width; ++c) {
      std::uint8_t* to = table.codes.bytes.data() + begin * width + c;
      for (std::uint32_t row = begin; row < end; ++row, to += width) *to = sources[c][row];
    }
  });
}

// Columns of two codes have a bit each: a node that draws some of them reads one word a row.
void choose_bits(TrainingTable& table) {
  for (std::size_t j = 0; j < std::min<std::size_t>(64, table.columns.size()); ++j) {
    Column& column = table.columns[j];
    if (column.store == Column::Store::Bytes && column.n_codes == 2 && !column.has_missing)
      column.bit = static_cast<int>(j);
  }
}

void gather_bits(TrainingTable& table, const std::vector<ByteCodes>& codes, Team& team) {
  std::vector<int> chosen;
  for (const Column& column : table.columns)
    if (column.bit >= 0) chosen.push_back(column.bit);
  if (chosen.empty()) return;
  table.codes.bits.resize(table.n_rows);
  by_stretches(table.n_rows, team, [&](std::uint32_t begin, std::uint32_t end) {
    std::uint64_t* bits = table.codes.bits.data();
    for (const int bit : chosen) {
      const std::uint8_t* own = codes[static_cast<std::size_t>(bit)].data();
      for (std::uint32_t row = begin; row < end; ++row)
        bits[row] |= static_cast<std::uint64_t>(own[row]) << bit;
    }
  });
}

// Wide columns side by side, too, where a node looks at few of them and at few rows.
void gather_wide_rows(TrainingTable& table, Team& team) {
  const std::size_t width = table.codes.wide.size();
  int most_codes = 0;
  for (const Column& column : table.columns)
    if (column.store == Column::Store::Wide) most_codes = std::max(most_codes, column.n_codes);
  table.codes.wide_rows.resize(table.n_rows, width, most_codes, SplitCodes::Lower::Beside);
  by_stretches(table.n_rows, team, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::size_t c = 0; c < width; ++c)
      table.codes.wide[c].with(0, [&, rows = &table.codes.wide_rows](auto code_of) {
        for (std::uint32_t row = begin; row < end; ++row) rows->set(row, c, code_of(row));
      });
  });
}

void number_columns(TrainingTable& table) {
  int n_of_store[3] = {0, 0, 0};
  for (Column& column : table.columns) {
    if (column.bit < 0) column.position = n_of_store[static_cast<int>(column.store)]++;
    if (column.store != Column::Store::Bytes) continue;
    column.offset = table.n_byte_codes;
    if (column.is_in_matrix())
      table.byte_offsets.push_back(column.offset * static_cast<std::size_t>(table.width()));
    table.n_byte_codes += static_cast<std::size_t>(column.n_codes) + 1;
  }
  double n = static_cast<double>(table.entries.size());
  if (!table.weights.empty())
    n = static_cast<double>(
            std::accumulate(table.weights.begin(), table.weights.end(), std::int64_t(0))) *
        table.unit;
  const double many = 0.3 * n;
  bool all = true;
  for (Column& column : table.columns) {
    column.many_valued = !column.numeric && column.n_codes >= many;
    all = all && column.many_valued;
  }
  // C4.5 leaves attributes of many values out of the average, unless every one is like that.
  if (all)
    for (Column& column : table.columns) column.many_valued = false;
}

}  // namespace

int target_bits(double largest) {
  constexpr int kBits = 60;
  return largest > 0 ? kBits - (std::ilogb(largest) + 1) : 0;
}

TrainingTable make_training_table(const Examples& examples, const Params& params,
                                  std::size_t n_draws, Team& team, const GivenFacts* given) {
  const auto& [columns, classes, n_classes, weights, targets, case_weights] = examples;
  if (examples.n_rows() >= (std::size_t(1) << 30))
    throw std::invalid_argument("a table may have at most 2^30 rows");
  TrainingTable table;
  table.n_rows = static_cast<std::uint32_t>(examples.n_rows());
  table.n_classes = n_classes;
  set_targets(table, targets, given);
  table.columns.resize(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    table.columns[j].view = columns[j];
    if (!params.monotonic.empty()) table.columns[j].monotonic = params.monotonic[j];
  }

  if (given && given->in_units) {
    table.unit = std::ldexp(1.0, -given->unit_bits);
    table.weights.assign(given->weights.begin(), given->weights.end());
  }
  if (!weights.empty()) set_weights(table, weights, n_draws);
  if (!case_weights.empty()) {
    const WeightUnits units(case_weights, table.n_rows);
    for (const double weight : case_weights) table.case_weights.push_back(units.of(weight));
  }
  set_entries(table, classes, n_draws > 0);

  std::vector<ByteCodes> bytes(columns.size());
  std::vector<SplitCodes> wide(columns.size());
  std::vector<std::vector<Item>> sorted(columns.size());
  std::vector<SortingRoom> rooms(team.size());
  team.run(static_cast<int>(columns.size()), [&](int j, int thread) {
    SortingRoom& room = rooms[thread];
    Column& column = table.columns[j];
    if (column.view.type == ColumnView::Type::Codes) {
      code_categories(table, column, bytes[j], wide[j]);
    } else {
      code_numbers(table, column, bytes[j], room, params);
      if (params.max_bins > 0 && column.store == Column::Store::Sorted)
        bins_to_bytes(table, column, bytes[j], room.items);
      if (params.columns_per_node > 0 && column.store == Column::Store::Sorted)
        ranks_to_codes(table, column, wide[j], room.items);
      if (column.store == Column::Store::Sorted) sorted[j] = std::move(room.items);
    }
  });
  rooms = {};
  const bool gaps = table.has_gaps();
  if (gaps && params.missing == Missing::Error)
    throw std::invalid_argument("there are missing values");
  // Dividing rows over branches makes fractions, even of rows that count 1.
  if (gaps && params.missing == Missing::Fractional && table.weights.empty())
    set_weights(table, {}, n_draws);

  if (params.columns_per_node > 0 && !table.has_targets()) choose_bits(table);
  number_columns(table);
  for (std::size_t j = 0; given && j < columns.size(); ++j)
    table.columns[j].many_valued = given->many_valued[j];
  gather_bytes(table, bytes, team);
  gather_bits(table, bytes, team);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (table.columns[j].store == Column::Store::Wide)
      table.codes.wide.push_back(std::move(wide[j]));
    if (table.columns[j].store == Column::Store::Sorted)
      table.sorted.push_back(std::move(sorted[j]));
  }
  table.codes.n_rows = table.n_rows;
  table.codes.n_wide = table.codes.wide.size();
  if (params.columns_per_node > 0) gather_wide_rows(table, team);
  return table;
}

}  // namespace plaintree
