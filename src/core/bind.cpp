// The one file that knows Python: arrays in, arrays out, the interpreter lock released between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "chi_square.h"
#include "forest.h"
#include "grow.h"
#include "predict.h"
#include "prune.h"
#include "team.h"

namespace nb = nanobind;
using namespace plaintree;

namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

// Ctrl-C: a signal is only seen by the interpreter, so it is asked now and then.
bool interrupted() {
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
  }
}

ColumnView view_of(const AnyColumn& column, int n_categories) {
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

std::vector<ColumnView> views_of(const nb::list& columns, const std::vector<int>& n_categories,
                                 std::size_t n_rows) {
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

Params params_of(const nb::dict& d) {
  Params p;
  const auto number = [&](const char* name) { return nb::cast<double>(d[name]); };
  const auto whole = [&](const char* name) { return nb::cast<int>(d[name]); };
  const auto flag = [&](const char* name) { return nb::cast<bool>(d[name]); };
  p.criterion = static_cast<Criterion>(whole("criterion"));
  p.categorical = static_cast<Categorical>(whole("categorical"));
  p.missing = static_cast<Missing>(whole("missing"));
  p.max_depth = whole("max_depth");
  p.min_samples_split = number("min_samples_split");
  p.min_samples_branch = number("min_samples_branch");
  p.every_branch = flag("every_branch");
  p.min_score = number("min_score");
  p.significance = number("significance");
  p.zero_gain = flag("zero_gain");
  p.data_value_thresholds = flag("data_value_thresholds");
  p.cut_by_gain = flag("cut_by_gain");
  p.threshold_penalty = flag("threshold_penalty");
  p.average_gain = flag("average_gain");
  p.numeric_branch_share = number("numeric_branch_share");
  p.least_gap = number("least_gap");
  p.tie_tolerance = number("tie_tolerance");
  p.collapse = flag("collapse");
  p.max_bins = whole("max_bins");
  p.exhaustive_categories = whole("exhaustive_categories");
  p.columns_per_node = whole("columns_per_node");
  return p;
}

// A vector handed over to numpy without a copy.
template <class T>
nb::ndarray<nb::numpy, T> give(std::vector<T>&& values, std::size_t columns = 0) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return nb::ndarray<nb::numpy, T>(owned->data(), {owned->size()}, owner);
  return nb::ndarray<nb::numpy, T>(owned->data(), {owned->size() / columns, columns}, owner);
}

nb::dict arrays_of(TreeArrays&& tree, int n_classes) {
  nb::dict result;
  result["kind"] = give(std::move(tree.kind));
  result["attribute"] = give(std::move(tree.attribute));
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
  result["class_weights"] =
      give(std::move(tree.class_weights), static_cast<std::size_t>(n_classes));
  return result;
}

// Columns, classes and weights held by Python, kept alive while they are read.
struct HeldExamples {
  std::vector<ColumnView> columns;
  Array<std::int32_t> classes;
  std::optional<Array<double>> weights;
  int n_classes;

  HeldExamples(const nb::list& column_list, const std::vector<int>& n_categories,
               const Array<std::int32_t>& y, int class_count, const std::optional<Array<double>>& w)
      : columns(views_of(column_list, n_categories, y.shape(0))),
        classes(y),
        weights(w),
        n_classes(class_count) {}
  Examples view() const {
    std::span<const double> w;
    if (weights) w = {weights->data(), weights->shape(0)};
    return {columns, {classes.data(), classes.shape(0)}, n_classes, w};
  }
};

nb::dict grow_tree(const nb::list& columns, const std::vector<int>& n_categories,
                   const Array<std::int32_t>& classes, int n_classes,
                   const std::optional<Array<double>>& weights, const nb::dict& params,
                   int n_threads) {
  const HeldExamples examples(columns, n_categories, classes, n_classes, weights);
  const Params p = params_of(params);
  TreeArrays tree;
  without_interpreter(
      [&] { tree = grow(examples.view(), p, n_threads, [] { return interrupted(); }); });
  return arrays_of(std::move(tree), n_classes);
}

// A tree held by Python, kept alive while it is read.
struct HeldTree {
  TreeView view;
  std::vector<nb::object> owners;

  explicit HeldTree(const nb::object& tree) {
    view.kind = hold<std::int8_t>(tree, "kind");
    view.attribute = hold<std::int32_t>(tree, "attribute");
    view.threshold = hold<double>(tree, "threshold");
    view.first_child = hold<std::int32_t>(tree, "first_child");
    view.n_children = hold<std::int32_t>(tree, "n_children");
    view.missing_child = hold<std::int32_t>(tree, "missing_child");
    view.level_begin = hold<std::int64_t>(tree, "level_begin");
    view.level_end = hold<std::int64_t>(tree, "level_end");
    view.levels = hold<std::int32_t>(tree, "levels");
    view.weight = hold<double>(tree, "weight");
    view.score = hold<double>(tree, "score");
    view.label = hold<std::int32_t>(tree, "label");
    view.n_tied = hold<std::int32_t>(tree, "n_tied");
    const nb::object weights = tree.attr("class_weights");
    const auto matrix =
        nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(weights,
                                                                                        false);
    owners.push_back(weights);
    view.class_weights = matrix.data();
    view.n_nodes = matrix.shape(0);
    view.n_classes = static_cast<int>(matrix.shape(1));
  }
  template <class T>
  const T* hold(const nb::object& tree, const char* name) {
    const nb::object array = tree.attr(name);
    owners.push_back(array);
    return nb::cast<Array<T>>(array, false).data();
  }
};

struct Prediction {
  HeldTree tree;
  std::vector<ColumnView> columns;
  std::size_t n_rows;
  PredictOptions options;

  Prediction(const nb::object& tree_object, const nb::list& column_list,
             const std::vector<int>& n_categories, std::size_t rows, bool unseen_stops,
             bool label_wins, int n_threads)
      : tree(tree_object), columns(views_of(column_list, n_categories, rows)), n_rows(rows) {
    options.unseen_stops = unseen_stops;
    options.label_wins = label_wins;
    options.n_threads = n_threads;
    options.interrupted = [] { return interrupted(); };
  }
};

template <class T, class Predict>
std::vector<T> filled(const Prediction& p, std::size_t width, Predict predict) {
  std::vector<T> out(p.n_rows * width);
  without_interpreter([&] { predict(p.tree.view, p.columns, p.n_rows, p.options, out.data()); });
  return out;
}

nb::tuple error_based(const nb::object& tree_object, const nb::list& columns,
                      const std::vector<int>& n_categories, const Array<std::int32_t>& classes,
                      const std::optional<Array<double>>& weights, double confidence,
                      int criterion) {
  const HeldTree tree(tree_object);
  const auto views = views_of(columns, n_categories, classes.shape(0));
  const std::span<const std::int32_t> y(classes.data(), classes.shape(0));
  std::span<const double> w;
  if (weights) w = {weights->data(), weights->shape(0)};
  PrunedTree pruned;
  without_interpreter([&] {
    pruned = prune_error_based(tree.view, views, y, w, confidence,
                               static_cast<Criterion>(criterion), [] { return interrupted(); });
  });
  return nb::make_tuple(arrays_of(std::move(pruned.tree), tree.view.n_classes),
                        give(std::move(pruned.errors)));
}


// ---------------------------------------------------------------- forests

struct Forest {
  std::vector<PackedTree> trees;
};

Sampling sampling_of(const nb::dict& d) {
  Sampling s;
  s.how = static_cast<Sampling::How>(nb::cast<int>(d["how"]));
  s.n_draws = nb::cast<std::uint32_t>(d["n_draws"]);
  s.seed = nb::cast<std::uint64_t>(d["seed"]);
  return s;
}

Forest grow_forest_of(const nb::list& columns, const std::vector<int>& n_categories,
                      const Array<std::int32_t>& classes, int n_classes,
                      const std::optional<Array<double>>& weights, const nb::dict& params,
                      const nb::dict& options, int n_threads, const nb::object& progress) {
  const HeldExamples examples(columns, n_categories, classes, n_classes, weights);
  const Params p = params_of(params);
  ForestOptions o;
  o.n_trees = nb::cast<std::uint32_t>(options["n_trees"]);
  o.sampling = sampling_of(options);
  o.label_wins = nb::cast<bool>(options["label_wins"]);
  o.any_node_answers = nb::cast<bool>(options["any_node_answers"]);
  o.most_bytes = nb::cast<std::size_t>(options["most_bytes"]);
  o.n_threads = n_threads;
  o.interrupted = [&](std::uint32_t n_done) {
    nb::gil_scoped_acquire lock;
    if (!progress.is_none()) {
      try {
        progress(n_done);
      } catch (nb::python_error& error) {
        error.restore();
        return true;
      }
    }
    return PyErr_CheckSignals() != 0;
  };
  Forest forest;
  try {
    without_interpreter([&] { forest.trees = grow_forest(examples.view(), p, o); });
  } catch (const TooLarge& error) {
    PyErr_SetObject(PyExc_MemoryError, nb::float_(error.n_bytes).ptr());
    throw nb::python_error();
  }
  return forest;
}

template <class T>
std::vector<T> copy_of(const nb::object& tree, const char* name) {
  const auto array = nb::cast<Array<T>>(tree.attr(name), false);
  return {array.data(), array.data() + array.shape(0)};
}

PackedTree pack(const nb::object& tree, int criterion, bool label_wins, bool any_node_answers) {
  TreeArrays arrays;
  arrays.kind = copy_of<std::int8_t>(tree, "kind");
  arrays.attribute = copy_of<std::int32_t>(tree, "attribute");
  arrays.threshold = copy_of<double>(tree, "threshold");
  arrays.first_child = copy_of<std::int32_t>(tree, "first_child");
  arrays.n_children = copy_of<std::int32_t>(tree, "n_children");
  arrays.missing_child = copy_of<std::int32_t>(tree, "missing_child");
  arrays.level_begin = copy_of<std::int64_t>(tree, "level_begin");
  arrays.level_end = copy_of<std::int64_t>(tree, "level_end");
  arrays.n_rows = copy_of<std::int64_t>(tree, "n_rows");
  arrays.weight = copy_of<double>(tree, "weight");
  arrays.impurity = copy_of<double>(tree, "impurity");
  arrays.score = copy_of<double>(tree, "score");
  arrays.label = copy_of<std::int32_t>(tree, "label");
  arrays.n_tied = copy_of<std::int32_t>(tree, "n_tied");
  arrays.levels = copy_of<std::int32_t>(tree, "levels");
  const nb::object weights = tree.attr("class_weights");
  const auto matrix =
      nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(weights,
                                                                                      false);
  arrays.class_weights.assign(matrix.data(), matrix.data() + matrix.size());
  return PackedTree::pack(arrays, static_cast<int>(matrix.shape(1)),
                          static_cast<Criterion>(criterion), label_wins, any_node_answers);
}

const PackedTree& tree_at(const Forest& forest, std::size_t i) {
  if (i >= forest.trees.size()) throw nb::index_error("a forest has no such tree");
  return forest.trees[i];
}

PredictOptions forest_options(bool unseen_stops, int n_threads) {
  PredictOptions options;
  options.unseen_stops = unseen_stops;
  options.n_threads = n_threads;
  options.interrupted = [] { return interrupted(); };
  return options;
}

nb::ndarray<nb::numpy, double> shares_of(const Forest& forest, const nb::list& columns,
                                         const std::vector<int>& n_categories, std::size_t n_rows,
                                         std::size_t first, std::size_t last, int voting,
                                         bool unseen_stops, int n_threads) {
  const auto views = views_of(columns, n_categories, n_rows);
  const auto options = forest_options(unseen_stops, n_threads);
  const auto n_classes = static_cast<std::size_t>(tree_at(forest, first).n_classes);
  if (last <= first || last > forest.trees.size())
    throw std::invalid_argument("no trees are asked, or more than there are");
  const std::span<const PackedTree> asked(forest.trees.data() + first, last - first);
  std::vector<double> shares(n_rows * n_classes);
  without_interpreter([&] {
    forest_shares(asked, views, n_rows, static_cast<Voting>(voting), options, shares.data());
  });
  return give(std::move(shares), n_classes);
}

nb::tuple out_of_bag_of(const Forest& forest, const nb::list& columns,
                        const std::vector<int>& n_categories, const Array<std::int32_t>& classes,
                        const Array<std::uint32_t>& rows, const nb::dict& sampling, int voting,
                        bool unseen_stops, int n_threads) {
  const int n_classes = tree_at(forest, 0).n_classes;
  const HeldExamples examples(columns, n_categories, classes, n_classes, std::nullopt);
  const auto options = forest_options(unseen_stops, n_threads);
  const Sampling s = sampling_of(sampling);
  OutOfBag result;
  without_interpreter([&] {
    result = out_of_bag(forest.trees, examples.view(), {rows.data(), rows.shape(0)}, s,
                        static_cast<Voting>(voting), options);
  });
  return nb::make_tuple(give(std::move(result.votes), static_cast<std::size_t>(n_classes)),
                        give(std::move(result.n_trees)), give(std::move(result.errors)));
}

nb::ndarray<nb::numpy, double> permutation_losses_of(
    const Forest& forest, const nb::list& columns, const std::vector<int>& n_categories,
    const Array<std::int32_t>& classes, const Array<std::uint32_t>& rows, const nb::dict& sampling,
    bool unseen_stops, int n_threads) {
  const HeldExamples examples(columns, n_categories, classes, tree_at(forest, 0).n_classes,
                              std::nullopt);
  const auto options = forest_options(unseen_stops, n_threads);
  const Sampling s = sampling_of(sampling);
  std::vector<double> losses;
  without_interpreter([&] {
    losses = permutation_losses(forest.trees, examples.view(), {rows.data(), rows.shape(0)}, s, options);
  });
  return give(std::move(losses), n_categories.size());
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace nb::literals;
  m.doc() = "The native engine of plaintree: growing and predicting on encoded columns.";
  m.def("grow", &grow_tree, "columns"_a, "n_categories"_a, "classes"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert().none(), "params"_a, "n_threads"_a);
  m.def(
      "predict_nodes",
      [](const nb::object& tree, const nb::list& columns, const std::vector<int>& n_categories,
         std::size_t n_rows, bool unseen_stops, bool label_wins, int n_threads) {
        const Prediction p(tree, columns, n_categories, n_rows, unseen_stops, label_wins,
                           n_threads);
        return give(filled<std::int32_t>(p, 1, predict_nodes));
      },
      "tree"_a, "columns"_a, "n_categories"_a, "n_rows"_a, "unseen_stops"_a, "label_wins"_a,
      "n_threads"_a);
  m.def(
      "predict_classes",
      [](const nb::object& tree, const nb::list& columns, const std::vector<int>& n_categories,
         std::size_t n_rows, bool unseen_stops, bool label_wins, int n_threads) {
        const Prediction p(tree, columns, n_categories, n_rows, unseen_stops, label_wins,
                           n_threads);
        return give(filled<std::int32_t>(p, 1, predict_classes));
      },
      "tree"_a, "columns"_a, "n_categories"_a, "n_rows"_a, "unseen_stops"_a, "label_wins"_a,
      "n_threads"_a);
  m.def(
      "predict_shares",
      [](const nb::object& tree, const nb::list& columns, const std::vector<int>& n_categories,
         std::size_t n_rows, bool unseen_stops, bool label_wins, int n_threads) {
        const Prediction p(tree, columns, n_categories, n_rows, unseen_stops, label_wins,
                           n_threads);
        const auto n_classes = static_cast<std::size_t>(p.tree.view.n_classes);
        return give(filled<double>(p, n_classes, predict_shares), n_classes);
      },
      "tree"_a, "columns"_a, "n_categories"_a, "n_rows"_a, "unseen_stops"_a, "label_wins"_a,
      "n_threads"_a);
  m.def("prune_error_based", &error_based, "tree"_a, "columns"_a, "n_categories"_a,
        "classes"_a.noconvert(), "weights"_a.noconvert().none(), "confidence"_a, "criterion"_a);
  m.def(
      "chi_square_p",
      [](const std::vector<double>& table, std::size_t n_columns) {
        return chi_square_p(table, n_columns);
      },
      "table"_a, "n_columns"_a);

  nb::class_<Forest>(m, "Forest", "Packed trees that vote together.")
      .def(nb::init<>())
      .def("append",
           [](Forest& forest, const nb::object& tree, int criterion, bool label_wins,
              bool any_node_answers) {
             forest.trees.push_back(pack(tree, criterion, label_wins, any_node_answers));
           })
      .def("__len__", [](const Forest& forest) { return forest.trees.size(); })
      .def("tree",
           [](const Forest& forest, std::size_t i) {
             const PackedTree& tree = tree_at(forest, i);
             return arrays_of(tree.unpack(), tree.n_classes);
           })
      .def("n_nodes",
           [](const Forest& forest, std::size_t i) { return tree_at(forest, i).n_nodes(); })
      .def("n_bytes",
           [](const Forest& forest) {
             std::size_t sum = 0;
             for (const PackedTree& tree : forest.trees) sum += tree.n_bytes();
             return sum;
           })
      .def("shares", &shares_of, "columns"_a, "n_categories"_a, "n_rows"_a, "first"_a, "last"_a,
           "voting"_a, "unseen_stops"_a, "n_threads"_a)
      .def("out_of_bag", &out_of_bag_of, "columns"_a, "n_categories"_a, "classes"_a.noconvert(),
           "rows"_a.noconvert(), "sampling"_a, "voting"_a, "unseen_stops"_a, "n_threads"_a)
      .def("permutation_losses", &permutation_losses_of, "columns"_a, "n_categories"_a,
           "classes"_a.noconvert(), "rows"_a.noconvert(), "sampling"_a, "unseen_stops"_a,
           "n_threads"_a);
  m.def("grow_forest", &grow_forest_of, "columns"_a, "n_categories"_a, "classes"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert().none(), "params"_a, "options"_a, "n_threads"_a,
        "progress"_a.none());
}
