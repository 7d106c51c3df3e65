// What all levels of a tree share, derived from the facts of the whole table.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "blocks/block.h"
#include "blocks/request.h"
#include "grow/least_weight.h"
#include "levels/level_grower.h"
#include "stats/statistics.h"
#include "stats/target_measure.h"
#include "stats/weight_units.h"

namespace plaintree {

class LevelFacts {
 public:
  LevelFacts(TableFacts facts, const Params& given, const LevelOptions& options)
      : facts_(std::move(facts)), options_(options) {
    data_value_thresholds = given.data_value_thresholds;
    params = given;
    params.data_value_thresholds = false;  // they are looked up in the end
    if (facts_.n_rows == 0) throw std::invalid_argument("there are no rows");
    set_rules();
    set_table();
    set_layout();
    if (facts_.n_rows >> 48 != 0)
      throw std::invalid_argument("a table may have at most 2^48 - 1 rows");
    if (has_many_rows() && layout_.with_times)
      throw std::invalid_argument(
          "weighted rows are counted in 32 bits, and the table has more of them");
    params = with_least_weight(params, is_divided(), lightest_, unit());
  }

  const std::vector<ColumnFacts>& columns() const { return facts_.columns; }
  const TableFacts& facts() const { return facts_; }
  const RowRules& rules() const { return rules_; }
  const CellLayout& layout() const { return layout_; }
  double unit() const { return rules_.in_units ? std::ldexp(1.0, -rules_.unit_bits) : 1.0; }
  double target_unit() const { return std::ldexp(1.0, -rules_.target_bits); }
  bool counts_times() const { return layout_.with_times; }
  // Whether the rows of the root are known, class by class.
  bool knows_root() const { return facts_.n_classes > 0 && !rules_.in_units && !rules_.sampling; }

  template <Statistics S>
  MeasureOf<typename S::Sum> measure(const XLogX& x_log_x) const {
    if constexpr (SumsOf<typename S::Sum>::kClasses)
      return {&params, facts_.n_classes, unit(), &x_log_x};
    else
      return {&params, unit(), target_unit()};
  }
  std::int64_t weight(const std::int64_t* sums) const {
    return ClassCounts<std::int64_t>({}, nullptr, facts_.n_classes).weight(sums);
  }
  WideInt weight(const WideInt* sums) const { return sums[0]; }
  std::int32_t label(const std::int64_t* sums) const {
    return ClassCounts<std::int64_t>({}, nullptr, facts_.n_classes).label(sums);
  }
  std::int32_t label(const WideInt* /*sums*/) const { return 0; }
  bool is_pure(const std::int64_t* sums) const {
    return ClassCounts<std::int64_t>({}, nullptr, facts_.n_classes).is_pure(sums);
  }
  bool is_pure(const WideInt* /*sums*/) const { return false; }

  std::uint64_t path_of_root() const {
    return options_.in_forest ? plaintree::path_of_root(options_.sampling_seed, options_.tree)
                              : plaintree::path_of_root(params.seed, 0);
  }
  std::uint64_t bytes_of_cell() const {
    const bool small = !rules_.in_units && rules_.sampling == 0 && facts_.n_classes > 0;
    return static_cast<std::uint64_t>(layout_.width()) * (small && !has_many_rows() ? 4 : 8);
  }
  Request request(std::uint64_t number) const {
    Request request;
    request.number = number;
    request.criterion = params.criterion;
    request.target_unit = target_unit();
    request.rules = rules_;
    request.layout = layout_;
    request.large_cells = has_many_rows();
    return request;
  }

  // How many values every column has; 0: not known.
  std::vector<std::int32_t> n_values() const {
    std::vector<std::int32_t> result;
    for (const Column& column : table.columns) result.push_back(column.n_codes);
    return result;
  }
  // C4.5 leaves categories of very many values out of the average, unless all columns are like
  // that. In a forest all rows decide, drawn or not.
  void set_many_valued(double root_weight) {
    const double weight = options_.sampling == 0 ? root_weight : options_.table_weight;
    bool all = true;
    for (Column& column : table.columns) {
      column.many_valued = !column.numeric && column.n_codes >= 0.3 * weight;
      all = all && column.many_valued;
    }
    if (all)
      for (Column& column : table.columns) column.many_valued = false;
  }

  // Of everything that the tree depends on, and of the borders by which its rows are known.
  std::uint64_t fingerprint() const {
    ByteWriter writer;
    writer.write(facts_.hash);
    for (const ColumnFacts& column : facts_.columns) writer.write(column.borders);
    writer.write(request(0).bytes());
    each_param(params, [&](const auto& param) { writer.write(param); });
    writer.write(data_value_thresholds);
    writer.write(options_.sampling_seed), writer.write(options_.n_draws);
    writer.write(options_.tree), writer.write(options_.in_forest);
    writer.write(options_.table_weight);
    return checksum(writer.take());
  }

  Params params;
  bool data_value_thresholds = false;
  TrainingTable table;  // its columns, without rows

 private:
  bool has_many_rows() const { return facts_.n_rows > 0xFFFFFFFFull; }
  bool has_missing() const {
    for (const ColumnFacts& column : facts_.columns)
      if (column.has_missing) return true;
    return false;
  }
  bool is_divided() const { return has_missing() && params.missing == Missing::Fractional; }

  double given(double weight, std::size_t group) const {
    if (!options_.class_factors.empty()) weight *= options_.class_factors[group];
    return options_.is_scaled ? weight / options_.most * options_.scale : weight;
  }

  void set_rules() {
    rules_.class_factors = options_.class_factors;
    rules_.most = options_.most;
    rules_.scale = options_.scale;
    rules_.is_scaled = options_.is_scaled;
    rules_.divides = is_divided();
    const bool weighted = facts_.weighted || !options_.class_factors.empty() || options_.is_scaled;
    rules_.in_units = weighted || rules_.divides;
    double heaviest = 0, lightest = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < facts_.heaviest.size(); ++g) {
      if (!(facts_.heaviest[g] > 0)) continue;
      heaviest = std::max(heaviest, given(facts_.heaviest[g], g));
      const double least = given(facts_.lightest[g], g);
      if (least > 0) lightest = std::min(lightest, least);
    }
    const std::uint64_t n_draws = options_.sampling == 1 ? options_.n_draws : 0;
    const WeightUnits units(heaviest, std::max(facts_.n_rows, n_draws));
    rules_.unit_bits = units.bits();
    lightest_ = units.of(lightest);
    rules_.target_bits =
        target_bits(std::max(std::fabs(facts_.least_target), std::fabs(facts_.greatest_target)));
    if (facts_.n_classes > 0) rules_.target_bits = 0;
    set_sample();
  }
  void set_sample() {
    rules_.sampling = options_.sampling;
    if (options_.sampling == 0) return;
    if (facts_.has_zero_weights)
      throw std::invalid_argument("rows of weight zero cannot be told from others in a sample");
    rules_.n_table_rows = facts_.n_rows;
    rules_.draw_key = mix(mix(options_.sampling_seed, 1), options_.tree);
    if (options_.sampling == 1)
      rules_.draws_of_blocks = draws_of_blocks(rules_.draw_key, options_.n_draws, facts_.n_rows);
    else
      rules_.hash_limit = draw_limit(rules_.draw_key, options_.n_draws, facts_.n_rows);
  }

  void set_table() {
    table.n_classes = facts_.n_classes;
    table.n_rows = static_cast<std::uint32_t>(facts_.n_rows);
    table.unit = unit();
    for (std::size_t j = 0; j < facts_.columns.size(); ++j) {
      const ColumnFacts& facts = facts_.columns[j];
      Column column;
      column.numeric = facts.numeric;
      column.has_missing = facts.has_missing;
      if (!params.monotonic.empty()) column.monotonic = params.monotonic[j];
      column.n_codes = facts.numeric ? distinct_values(facts) : static_cast<int>(facts.n_codes);
      table.columns.push_back(column);
    }
    set_many_valued(static_cast<double>(facts_.n_rows));
  }
  static int distinct_values(const ColumnFacts& facts) {
    int n = 0;
    for (std::uint32_t code = 0; code < facts.n_codes && facts.is_tracked(); ++code) {
      if (std::isnan(facts.least[code])) continue;
      if (!facts.is_pure(code)) return 0;
      ++n;
    }
    return n;
  }

  void set_layout() {
    const bool counted = !rules_.in_units && rules_.sampling == 0;
    layout_.n_classes = facts_.n_classes;
    layout_.with_rows = !counted;
    layout_.rows_by_class =
        !counted && facts_.n_classes > 0 && params.missing == Missing::MostCommonInClass;
    layout_.with_times = rules_.in_units && (params.counts_rows() || params.min_split_rows > 0);
  }

  TableFacts facts_;
  const LevelOptions options_;
  RowRules rules_;
  CellLayout layout_;
  std::int64_t lightest_ = 0;
};

}  // namespace plaintree
