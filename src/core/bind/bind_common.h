// Conversions for the bindings: arrays and columns from Python, vectors to numpy, the GIL released.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <variant>

#include "base/team.h"
#include "grow/empty_branches.h"
#include "grow/given_tree.h"
#include "table/training_table.h"
#include "tree/tree_arrays.h"

namespace nb = nanobind;

namespace plaintree {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

// Ctrl-C: a signal is only seen by the interpreter, so it is asked now and then.
inline bool interrupted() {
  nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() != 0;
}

template <class Call>
void without_interpreter(Call call) {
  try {
    nb::gil_scoped_release release;
    call();
  } catch (const Interrupted&) {
    throw nb::python_error();
  } catch (const TooManyBranches& error) {  // distinguished by the column's number
    PyErr_SetObject(PyExc_MemoryError, nb::int_(error.column).ptr());
    throw nb::python_error();
  } catch (const CannotFollow& error) {
    PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.what(), error.column).ptr());
    throw nb::python_error();
  }
}

inline ColumnView view_of(const AnyColumn& column, int n_categories) {
  ColumnView view;
  view.data = static_cast<const std::byte*>(column.data());
  view.stride = column.stride(0) * static_cast<std::ptrdiff_t>(column.itemsize());
  view.n_categories = n_categories;
  if (column.dtype() == nb::dtype<float>())
    view.type = ColumnView::Type::Float32;
  else if (column.dtype() == nb::dtype<double>())
    view.type = ColumnView::Type::Float64;
  else if (column.dtype() == nb::dtype<std::int32_t>())
    view.type = ColumnView::Type::Codes;
  else
    throw std::invalid_argument("a column must be float32, float64 or int32");
  return view;
}

inline std::vector<ColumnView> views_of(const nb::list& columns,
                                        const std::vector<int>& n_categories, std::size_t n_rows) {
  if (columns.size() != n_categories.size())
    throw std::invalid_argument("columns and their numbers of categories differ in length");
  std::vector<ColumnView> views;
  for (std::size_t j = 0; j < n_categories.size(); ++j) {
    const auto column = nb::cast<AnyColumn>(columns[j], false);
    if (column.shape(0) != n_rows) throw std::invalid_argument("columns differ in length");
    views.push_back(view_of(column, n_categories[j]));
    const bool codes = views.back().type == ColumnView::Type::Codes;
    if (codes != (n_categories[j] > 0))
      throw std::invalid_argument("a column's type does not fit its kind");
  }
  return views;
}

inline Params params_of(const nb::dict& d) {
  Params p;
  const auto number = [&](const char* name) { return nb::cast<double>(d[name]); };
  const auto whole = [&](const char* name) { return nb::cast<int>(d[name]); };
  const auto flag = [&](const char* name) { return nb::cast<bool>(d[name]); };
  p.criterion = static_cast<Criterion>(whole("criterion"));
  p.categorical = static_cast<Categorical>(whole("categorical"));
  p.missing = static_cast<Missing>(whole("missing"));
  p.max_surrogates = whole("max_surrogates");
  p.use_surrogates = static_cast<UseSurrogates>(whole("use_surrogate"));
  p.agreement_of_known = flag("agreement_of_known");
  p.feature_costs = nb::cast<std::vector<double>>(d["feature_costs"]);
  p.max_depth = whole("max_depth");
  p.min_split_weight = number("min_split_weight");
  p.min_branch_weight = number("min_branch_weight");
  p.min_split_rows = nb::cast<std::uint32_t>(d["min_split_rows"]);
  p.min_branch_rows = nb::cast<std::uint32_t>(d["min_branch_rows"]);
  p.every_branch = flag("every_branch");
  p.min_score = number("min_score");
  p.min_impurity_decrease = number("min_impurity_decrease");
  p.significance = number("significance");
  p.adjusted_significance = flag("adjusted_significance");
  p.zero_gain = flag("zero_gain");
  p.data_value_thresholds = flag("data_value_thresholds");
  p.threshold_by_gain = flag("threshold_by_gain");
  p.threshold_penalty = flag("threshold_penalty");
  p.average_gain = flag("average_gain");
  p.numeric_branch_fraction = number("numeric_branch_fraction");
  p.min_separation = number("min_separation");
  p.tie_tolerance = number("tie_tolerance");
  p.collapse = flag("collapse");
  p.max_bins = whole("max_bins");
  p.exhaustive_categories = whole("exhaustive_categories");
  p.columns_per_node = whole("columns_per_node");
  p.seed = nb::cast<std::uint64_t>(d["seed"]);
  p.random_splits = flag("random_splits");
  p.monotonic = nb::cast<std::vector<std::int8_t>>(d["monotonic"]);
  p.forbidden = nb::cast<std::vector<std::int32_t>>(d["forbidden"]);
  p.first = nb::cast<std::vector<std::int32_t>>(d["first"]);
  p.interactions = nb::cast<std::vector<std::vector<std::int32_t>>>(d["interactions"]);
  p.finders = whole("finders");
  return p;
}

// A vector handed over to numpy without a copy.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T> give(std::vector<T, Allocator>&& values, std::size_t columns = 0) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  if (columns == 0) return nb::ndarray<nb::numpy, T>(owned->data(), {owned->size()}, owner);
  return nb::ndarray<nb::numpy, T>(owned->data(), {owned->size() / columns, columns}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> no_columns(std::size_t n_rows) {
  static T nothing{};
  return nb::ndarray<nb::numpy, T>(&nothing, {n_rows, std::size_t(0)}, nb::none());
}

inline nb::dict arrays_of(TreeArrays&& tree, int n_classes) {
  nb::dict result;
  const std::size_t n_nodes = tree.kind.size();
  result["kind"] = give(std::move(tree.kind));
  result["feature"] = give(std::move(tree.attribute));
  result["threshold"] = give(std::move(tree.threshold));
  result["first_child"] = give(std::move(tree.first_child));
  result["n_children"] = give(std::move(tree.n_children));
  result["missing_child"] = give(std::move(tree.missing_child));
  result["level_begin"] = give(std::move(tree.level_begin));
  result["level_end"] = give(std::move(tree.level_end));
  result["n_rows"] = give(std::move(tree.n_rows));
  result["weight"] = give(std::move(tree.weight));
  result["impurity"] = give(std::move(tree.impurity));
  result["score"] = give(std::move(tree.score));
  result["label"] = give(std::move(tree.label));
  result["n_tied"] = give(std::move(tree.n_tied));
  result["levels"] = give(std::move(tree.levels));
  result["prediction"] = give(std::move(tree.value));
  SurrogateArrays& surrogates = tree.surrogates;
  result["surrogate_begin"] = give(std::move(surrogates.begin));
  result["surrogate_end"] = give(std::move(surrogates.end));
  result["surrogate_kind"] = give(std::move(surrogates.kind));
  result["surrogate_feature"] = give(std::move(surrogates.attribute));
  result["surrogate_threshold"] = give(std::move(surrogates.threshold));
  result["surrogate_reversed"] = give(std::move(surrogates.reversed));
  result["surrogate_level_begin"] = give(std::move(surrogates.level_begin));
  result["surrogate_level_end"] = give(std::move(surrogates.level_end));
  result["surrogate_agreement"] = give(std::move(surrogates.agreement));
  result["surrogate_adjusted"] = give(std::move(surrogates.adjusted));
  result["surrogate_levels"] = give(std::move(surrogates.levels));
  const auto shape = static_cast<std::size_t>(n_classes);
  result["class_weights"] =
      n_classes > 0 ? give(std::move(tree.class_weights), shape) : no_columns<double>(n_nodes);
  return result;
}

// Class codes, or the numbers of a numeric target.
using TargetArray = std::variant<Array<std::int32_t>, Array<double>>;

inline std::size_t length(const TargetArray& y) {
  return std::visit([](const auto& array) { return array.shape(0); }, y);
}

// Columns, the target and weights held by Python, kept alive while they are read.
struct HeldExamples {
  std::vector<ColumnView> columns;
  TargetArray target;
  std::optional<Array<double>> weights, case_weights;
  int n_classes;

  HeldExamples(const nb::list& column_list, const std::vector<int>& n_categories,
               const TargetArray& y, int class_count, const std::optional<Array<double>>& w)
      : columns(views_of(column_list, n_categories, length(y))),
        target(y),
        weights(w),
        n_classes(class_count) {}
  Examples view() const {
    Examples examples{columns, {}, n_classes, {}, {}, {}};
    if (case_weights) examples.case_weights = {case_weights->data(), case_weights->shape(0)};
    if (weights) examples.weights = {weights->data(), weights->shape(0)};
    if (const auto* classes = std::get_if<Array<std::int32_t>>(&target))
      examples.classes = {classes->data(), classes->shape(0)};
    else
      examples.targets = {std::get<Array<double>>(target).data(), length(target)};
    return examples;
  }
};

}  // namespace plaintree
