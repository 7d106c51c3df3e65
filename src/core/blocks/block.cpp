// Encoding rows as blocks, and reading them.
#include "blocks/block.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "base/team.h"
#include "table/table_hash.h"

namespace plaintree {
namespace {

constexpr std::uint64_t kMagic = 0x32304B4C42545050ull;  // "PPTBLK02"
constexpr std::uint64_t kFactsMagic = 0x3130544346545050ull;
constexpr const char* kFactsName = "the facts of blocks";
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

int bytes_of_codes(std::uint32_t n_codes) { return n_codes <= 255 ? 1 : n_codes <= 65535 ? 2 : 4; }

struct Header {
  std::uint64_t magic;
  std::uint64_t first_row;
  std::uint32_t n_rows, n_columns;
  std::int32_t n_classes;
  std::uint32_t weighted;
};

struct ColumnHeader {
  std::uint8_t numeric, single, code_bytes, unused = 0;
  std::uint32_t n_codes;
};

// Encodes the columns of one block, and finds its facts.
class Encoder {
 public:
  Encoder(const Examples& examples, std::uint64_t first_row)
      : examples_(examples), n_(examples.n_rows()) {
    if (n_ > kBlockRows) throw std::invalid_argument("a block has at most 2^17 rows");
    writer_.reserve(n_ * (16 + 12 * examples.columns.size()) + 64 * examples.columns.size() + 256);
    writer_.write(Header{kMagic, first_row, static_cast<std::uint32_t>(n_),
                         static_cast<std::uint32_t>(examples.columns.size()), examples.n_classes,
                         !examples.weights.empty()});
  }

  void add_target() {
    facts_.n_rows = n_;
    facts_.n_classes = examples_.n_classes;
    facts_.weighted = !examples_.weights.empty();
    const auto width = static_cast<std::size_t>(std::max(1, examples_.n_classes));
    facts_.rows_of_class.assign(width, 0);
    facts_.heaviest.assign(width, 0.0);
    facts_.lightest.assign(width, std::numeric_limits<double>::infinity());
    facts_.least_target = std::numeric_limits<double>::infinity();
    facts_.greatest_target = -facts_.least_target;
    std::vector<std::uint16_t> classes;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t group = examples_.n_classes > 0 ? class_of(i) : 0;
      if (examples_.n_classes > 0) classes.push_back(static_cast<std::uint16_t>(group));
      add_row(i, group);
    }
    writer_.write(classes);
    writer_.write(examples_.n_classes > 0 ? std::span<const double>{} : examples_.targets);
    writer_.write(examples_.weights);
  }

  // The codes of all columns stand together; those of numbers are filled in with their values.
  void begin_numbers(const ColumnView& view, const Borders& buckets, std::uint64_t borders) {
    ColumnFacts facts;
    facts.borders = borders;
    facts.single = view.type == ColumnView::Type::Float32;
    facts.n_codes = buckets.size();
    if (facts.n_codes <= kTrackedBorders + 1) {
      facts.least.assign(facts.n_codes, kNone);
      facts.greatest.assign(facts.n_codes, kNone);
    }
    const bool is_narrow = write_header(facts) == 1;
    codes_at_.push_back(is_narrow ? writer_.extend<std::uint8_t>(n_)
                                  : writer_.extend<std::uint16_t>(n_));
    facts_.columns.push_back(std::move(facts));
  }
  void add_values(std::size_t column, const Borders& buckets) {
    const ColumnView& view = examples_.columns[column];
    ColumnFacts& facts = facts_.columns[column];
    const auto encode = [&](auto code, auto value) {
      encode_numbers<decltype(code), decltype(value)>(view, buckets, facts, codes_at_[column]);
    };
    const auto encode_as = [&](auto code) {
      if (facts.single)
        encode(code, float());
      else
        encode(code, double());
    };
    if (bytes_of_codes(facts.n_codes) == 1)
      encode_as(std::uint8_t());
    else
      encode_as(std::uint16_t());
  }

  void add_categories(const ColumnView& view) {
    ColumnFacts facts;
    facts.numeric = false;
    facts.n_codes = static_cast<std::uint32_t>(view.n_categories);
    std::vector<std::uint32_t> codes(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::int32_t code = view.code(i);
      if (code >= view.n_categories) throw std::invalid_argument("a category code is out of range");
      codes[i] = code < 0 ? facts.n_codes : static_cast<std::uint32_t>(code);
      if (code < 0 && counts(i)) facts.has_missing = true;
    }
    write_column(facts, codes);
    codes_at_.push_back(0);  // they are there
    facts_.columns.push_back(std::move(facts));
  }

  EncodedBlock finish() {
    Watch watch;
    Team team(1, watch);
    facts_.hash = TableHash(examples_).of(team);
    return {sealed(writer_), facts_.bytes()};
  }

 private:
  bool counts(std::size_t row) const {
    return examples_.weights.empty() || examples_.weights[row] > 0;
  }
  std::size_t class_of(std::size_t row) const {
    const std::int32_t code = examples_.classes[row];
    if (code < 0 || code >= examples_.n_classes || code > 0xFFFF)
      throw std::invalid_argument("a class code is out of range");
    return static_cast<std::size_t>(code);
  }
  void add_row(std::size_t row, std::size_t group) {
    const double weight = examples_.weights.empty() ? 1.0 : examples_.weights[row];
    ++facts_.rows_of_class[group];
    if (weight > 0) {
      facts_.heaviest[group] = std::max(facts_.heaviest[group], weight);
      facts_.lightest[group] = std::min(facts_.lightest[group], weight);
    } else {
      facts_.has_zero_weights = true;
    }
    if (examples_.n_classes > 0) return;
    facts_.least_target = std::min(facts_.least_target, examples_.targets[row]);
    facts_.greatest_target = std::max(facts_.greatest_target, examples_.targets[row]);
  }
  static void note(ColumnFacts& facts, std::uint32_t code, double value) {
    if (code == facts.n_codes) {
      facts.has_missing = true;
    } else if (facts.is_tracked()) {
      facts.least[code] = std::fmin(facts.least[code], value);
      facts.greatest[code] = std::fmax(facts.greatest[code], value);
    }
  }
  template <class Code, class Float>
  void encode_numbers(const ColumnView& view, const Borders& buckets, ColumnFacts& facts,
                      std::size_t codes_at) {
    const std::size_t values_at = writer_.extend_without_length<Float>(n_);
    Code* codes = writer_.array_at<Code>(codes_at);
    Float* values = writer_.array_at<Float>(values_at);
    for (std::size_t i = 0; i < n_; ++i) {
      const Float value = *reinterpret_cast<const Float*>(view.at(i)) + Float(0);
      values[i] = value;
      codes[i] = static_cast<Code>(std::isnan(value) ? facts.n_codes : buckets.of(value));
    }
    if (!facts.is_tracked() && examples_.weights.empty()) {
      facts.has_missing =
          std::find(codes, codes + n_, static_cast<Code>(facts.n_codes)) != codes + n_;
      return;
    }
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i)) note(facts, codes[i], values[i]);
  }
  int write_header(const ColumnFacts& facts) {
    const int width = bytes_of_codes(facts.n_codes);
    writer_.write(ColumnHeader{facts.numeric, facts.single, static_cast<std::uint8_t>(width), 0,
                               facts.n_codes});
    return width;
  }
  template <class Code>
  void write_codes(const std::vector<std::uint32_t>& codes) {
    writer_.write(std::vector<Code>(codes.begin(), codes.end()));
  }
  void write_column(const ColumnFacts& facts, const std::vector<std::uint32_t>& codes) {
    const int width = write_header(facts);
    if (width == 1)
      write_codes<std::uint8_t>(codes);
    else if (width == 2)
      write_codes<std::uint16_t>(codes);
    else
      write_codes<std::uint32_t>(codes);
  }

  const Examples& examples_;
  const std::size_t n_;
  ByteWriter writer_;
  TableFacts facts_;
  std::vector<std::size_t> codes_at_;  // by column
};

void merge_extremes(ColumnFacts& to, const ColumnFacts& from) {
  for (std::size_t c = 0; c < to.least.size(); ++c) {
    to.least[c] = std::fmin(to.least[c], from.least[c]);
    to.greatest[c] = std::fmax(to.greatest[c], from.greatest[c]);
  }
}

}  // namespace

BlockEncoder::BlockEncoder(const std::vector<std::vector<double>>& borders)
    : buckets_(borders.begin(), borders.end()) {
  for (const std::vector<double>& own : borders) {
    const auto is_not_above = [](double a, double b) { return !(a < b); };
    if (own.size() > std::size_t(kMostBuckets) ||
        std::adjacent_find(own.begin(), own.end(), is_not_above) != own.end())
      throw std::invalid_argument("the borders of a column are not ascending, or too many");
    ByteWriter writer;
    writer.write(own);
    checksums_.push_back(checksum(writer.take()));
  }
}

EncodedBlock BlockEncoder::encode(const Examples& examples, std::uint64_t first_row) const {
  if (examples.columns.size() != buckets_.size())
    throw std::invalid_argument("there are borders of another number of columns");
  Encoder encoder(examples, first_row);
  encoder.add_target();
  for (std::size_t j = 0; j < examples.columns.size(); ++j) {
    const ColumnView& column = examples.columns[j];
    if (column.type == ColumnView::Type::Codes)
      encoder.add_categories(column);
    else
      encoder.begin_numbers(column, buckets_[j], checksums_[j]);
  }
  for (std::size_t j = 0; j < examples.columns.size(); ++j)
    if (examples.columns[j].type != ColumnView::Type::Codes) encoder.add_values(j, buckets_[j]);
  return encoder.finish();
}

BlockView::BlockView(ByteSpan bytes) {
  ByteReader reader(bytes);
  const auto header = reader.read<Header>();
  if (header.magic != kMagic || header.n_rows > kBlockRows)
    throw std::invalid_argument("these bytes are not a block");
  n_rows = header.n_rows;
  first_row = header.first_row;
  n_classes = header.n_classes;
  classes = reader.view<std::uint16_t>();
  targets = reader.view<double>();
  weights = reader.view<double>();
  const auto is_short = [this](std::size_t n) { return n != n_rows; };
  if (is_short(n_classes > 0 ? classes.size() : targets.size()) ||
      (header.weighted && is_short(weights.size())))
    throw std::invalid_argument("a block is damaged: its columns are not equally long");
  for (std::uint32_t j = 0; j < header.n_columns; ++j) {
    const auto own = reader.read<ColumnHeader>();
    BlockColumn column;
    column.numeric = own.numeric != 0;
    column.single = own.single != 0;
    column.n_codes = own.n_codes;
    column.code_bytes = own.code_bytes;
    std::size_t n = 0;
    const auto hold = [&](auto codes) {
      column.codes = reinterpret_cast<const std::uint8_t*>(codes.data());
      n = codes.size();
    };
    if (own.code_bytes == 1)
      hold(reader.view<std::uint8_t>());
    else if (own.code_bytes == 2)
      hold(reader.view<std::uint16_t>());
    else
      hold(reader.view<std::uint32_t>());
    if (is_short(n))
      throw std::invalid_argument("a block is damaged: its columns are not equally long");
    columns.push_back(column);
  }
  for (BlockColumn& column : columns) {
    if (column.numeric && column.single)
      column.floats = reader.view<float>(n_rows).data();
    else if (column.numeric)
      column.doubles = reader.view<double>(n_rows).data();
  }
}

void check_block(ByteSpan bytes) {
  unsealed(bytes, kMagic, "a block");
  const BlockView view(bytes);
}

// ---------------------------------------------------------------- facts

TableFacts::TableFacts(ByteSpan bytes) {
  ByteReader reader = unsealed(bytes, kFactsMagic, kFactsName);
  reader.read(n_rows);
  reader.read(hash);
  reader.read(n_classes);
  weighted = reader.read<std::uint8_t>() != 0;
  has_zero_weights = reader.read<std::uint8_t>() != 0;
  reader.read(rows_of_class);
  reader.read(heaviest);
  reader.read(lightest);
  reader.read(least_target);
  reader.read(greatest_target);
  const auto n_columns = reader.read<std::uint64_t>();
  if (n_columns > bytes.size())
    throw std::invalid_argument(std::string(kFactsName) + " is damaged");
  columns.resize(n_columns);
  for (ColumnFacts& column : columns) {
    column.numeric = reader.read<std::uint8_t>() != 0;
    column.single = reader.read<std::uint8_t>() != 0;
    column.has_missing = reader.read<std::uint8_t>() != 0;
    reader.read(column.n_codes);
    reader.read(column.least);
    reader.read(column.greatest);
    reader.read(column.borders);
    if (column.is_tracked() && column.least.size() != column.n_codes)
      throw std::invalid_argument(std::string(kFactsName) + " is damaged");
  }
}

Bytes TableFacts::bytes() const {
  ByteWriter writer;
  writer.write(kFactsMagic);
  writer.write(n_rows);
  writer.write(hash);
  writer.write(n_classes);
  writer.write(static_cast<std::uint8_t>(weighted));
  writer.write(static_cast<std::uint8_t>(has_zero_weights));
  writer.write(rows_of_class);
  writer.write(heaviest);
  writer.write(lightest);
  writer.write(least_target);
  writer.write(greatest_target);
  writer.write(static_cast<std::uint64_t>(columns.size()));
  for (const ColumnFacts& column : columns) {
    writer.write(static_cast<std::uint8_t>(column.numeric));
    writer.write(static_cast<std::uint8_t>(column.single));
    writer.write(static_cast<std::uint8_t>(column.has_missing));
    writer.write(column.n_codes);
    writer.write(column.least);
    writer.write(column.greatest);
    writer.write(column.borders);
  }
  return sealed(writer);
}

void TableFacts::merge(const TableFacts& other) {
  if (n_classes != other.n_classes || weighted != other.weighted ||
      columns.size() != other.columns.size())
    throw std::invalid_argument("blocks of different tables");
  n_rows += other.n_rows;
  hash += other.hash;
  has_zero_weights |= other.has_zero_weights;
  for (std::size_t c = 0; c < rows_of_class.size(); ++c) {
    rows_of_class[c] += other.rows_of_class[c];
    heaviest[c] = std::max(heaviest[c], other.heaviest[c]);
    lightest[c] = std::min(lightest[c], other.lightest[c]);
  }
  least_target = std::min(least_target, other.least_target);
  greatest_target = std::max(greatest_target, other.greatest_target);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const ColumnFacts& from = other.columns[j];
    if (columns[j].numeric != from.numeric || columns[j].single != from.single ||
        columns[j].n_codes != from.n_codes || columns[j].borders != from.borders)
      throw std::invalid_argument("blocks of different tables");
    columns[j].has_missing |= from.has_missing;
    merge_extremes(columns[j], from);
  }
}

}  // namespace plaintree
