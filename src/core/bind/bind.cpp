// The one place that knows Python, with bind_forest.cpp and bind_rules.cpp: arrays in, arrays out.
#include "bind/bind_common.h"
#include "bind/bind_forest.h"
#include "bind/bind_levels.h"
#include "bind/bind_rules.h"
#include "grow/grow.h"
#include "predict/predict.h"
#include "prune/prune.h"
#include "stats/chi_square.h"
#include "stats/selection.h"
#include "table/table_hash.h"

using namespace plaintree;

namespace {

// A tree held by Python, kept alive while it is read.
struct HeldTree {
  TreeView view;
  std::vector<nb::object> owners;

  explicit HeldTree(const nb::object& tree) {
    view.kind = hold<std::int8_t>(tree, "kind");
    view.attribute = hold<std::int32_t>(tree, "feature");
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
    if (nb::cast<Array<double>>(tree.attr("prediction"), false).shape(0) > 0)
      view.value = hold<double>(tree, "prediction");
    if (nb::cast<Array<std::int8_t>>(tree.attr("surrogate_kind"), false).shape(0) > 0)
      hold_surrogates(tree);
    if (nb::hasattr(tree, "decision_costs") &&
        nb::cast<Array<double>>(tree.attr("decision_costs"), false).shape(0) > 0)
      view.costs = hold<double>(tree, "decision_costs");
    const nb::object weights = tree.attr("class_weights");
    const auto matrix =
        nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(weights,
                                                                                        false);
    owners.push_back(weights);
    view.class_weights = matrix.data();
    view.n_nodes = matrix.shape(0);
    view.n_classes = static_cast<int>(matrix.shape(1));
  }
  void hold_surrogates(const nb::object& tree) {
    SurrogateView& surrogates = view.surrogates;
    surrogates.begin = hold<std::int64_t>(tree, "surrogate_begin");
    surrogates.end = hold<std::int64_t>(tree, "surrogate_end");
    surrogates.kind = hold<std::int8_t>(tree, "surrogate_kind");
    surrogates.attribute = hold<std::int32_t>(tree, "surrogate_feature");
    surrogates.threshold = hold<double>(tree, "surrogate_threshold");
    surrogates.reversed = hold<std::int8_t>(tree, "surrogate_reversed");
    surrogates.level_begin = hold<std::int64_t>(tree, "surrogate_level_begin");
    surrogates.level_end = hold<std::int64_t>(tree, "surrogate_level_end");
    surrogates.agreement = hold<double>(tree, "surrogate_agreement");
    surrogates.adjusted = hold<double>(tree, "surrogate_adjusted");
    surrogates.levels = hold<std::int32_t>(tree, "surrogate_levels");
  }
  template <class T>
  const T* hold(const nb::object& tree, const char* name) {
    const nb::object array = tree.attr(name);
    owners.push_back(array);
    return nb::cast<Array<T>>(array, false).data();
  }
};

GivenTree given_tree(const HeldTree& tree, const Array<std::uint8_t>& todo) {
  if (todo.shape(0) != tree.view.n_nodes)
    throw std::invalid_argument("there is not one thing to do for every node");
  return {tree.view, {todo.data(), todo.shape(0)}};
}

nb::tuple grow_tree(const nb::list& columns, const std::vector<int>& n_categories,
                    const TargetArray& target, int n_classes,
                    const std::optional<Array<double>>& weights, const nb::dict& params,
                    int n_threads, const std::optional<Array<double>>& case_weights,
                    const nb::object& tree_object, const std::optional<Array<std::uint8_t>>& todo,
                    bool grows_new_branches) {
  HeldExamples examples(columns, n_categories, target, n_classes, weights);
  examples.case_weights = case_weights;
  const Params p = params_of(params);
  std::optional<HeldTree> held;
  std::optional<GivenTree> given;
  if (todo) {
    held.emplace(tree_object);
    given.emplace(given_tree(*held, *todo));
    given->otherwise = grows_new_branches ? Todo::Grow : Todo::Stop;
  }
  TreeArrays tree;
  without_interpreter([&] {
    tree = grow(
        examples.view(), p, n_threads, [] { return interrupted(); }, given ? &*given : nullptr);
  });
  const std::vector<std::int32_t> n_values = std::move(tree.n_values);
  return nb::make_tuple(arrays_of(std::move(tree), n_classes), n_values);
}

nb::dict dict_of(ColumnOffer&& offer, std::size_t width) {
  nb::dict result;
  result["feature"] = offer.column;
  result["kind"] = static_cast<int>(offer.kind);
  result["refusal"] = static_cast<int>(offer.refusal);
  result["score"] = offer.score;
  result["gain"] = offer.gain;
  result["penalty"] = offer.penalty;
  result["split_info"] = offer.split_info;
  result["threshold"] = offer.threshold;
  result["p_value"] = offer.p_value;
  result["levels"] = give(std::move(offer.levels));
  result["missing_child"] = offer.missing_child;
  result["n_missing"] = offer.n_missing;
  result["n_values"] = offer.n_values;
  result["branch_rows"] = give(std::move(offer.branch_rows));
  result["branch_sums"] = give(std::move(offer.branch_sums), width);
  return result;
}

// What the columns offer at the node that is to be probed.
nb::dict offers_at(const nb::list& columns, const std::vector<int>& n_categories,
                   const TargetArray& target, int n_classes,
                   const std::optional<Array<double>>& weights, const nb::dict& params,
                   int n_threads, const std::optional<Array<double>>& case_weights,
                   const nb::object& tree_object, const Array<std::uint8_t>& todo, int cuts_of) {
  HeldExamples examples(columns, n_categories, target, n_classes, weights);
  examples.case_weights = case_weights;
  const Params p = params_of(params);
  const HeldTree held(tree_object);
  GivenTree given = given_tree(held, todo);
  Offers found;
  given.otherwise = Todo::Stop;
  given.offers = &found;
  found.cuts_of = cuts_of;
  without_interpreter(
      [&] { grow(examples.view(), p, n_threads, [] { return interrupted(); }, &given); });
  const std::size_t width = n_classes > 0 ? static_cast<std::size_t>(n_classes) : 2;
  nb::dict result;
  result["reached"] = found.reached;
  result["n_rows"] = found.n_rows;
  result["depth"] = found.depth;
  result["sums"] = give(std::move(found.sums));
  result["impurity"] = found.impurity;
  result["root_weight"] = found.root_weight;
  result["average_gain"] = found.average_gain;
  result["chosen"] = found.chosen;
  result["demanded"] = found.demanded;
  nb::list offers;
  for (ColumnOffer& offer : found.offers) offers.append(dict_of(std::move(offer), width));
  result["offers"] = offers;
  if (cuts_of < 0) return result;
  Cuts& cuts = found.cuts;
  result["thresholds"] = give(std::move(cuts.thresholds));
  result["scores"] = give(std::move(cuts.scores));
  result["gains"] = give(std::move(cuts.gains));
  result["below"] = give(std::move(cuts.below), width);
  result["all"] = give(std::move(cuts.all));
  result["refusals"] = give(std::move(cuts.refusals));
  return result;
}

struct Prediction {
  HeldTree tree;
  std::vector<ColumnView> columns;
  std::size_t n_rows;
  PredictOptions options;

  Prediction(const nb::object& tree_object, const nb::list& column_list,
             const std::vector<int>& n_categories, std::size_t rows, bool unseen_stops,
             int n_threads)
      : tree(tree_object), columns(views_of(column_list, n_categories, rows)), n_rows(rows) {
    options.unseen_stops = unseen_stops;
    options.n_threads = n_threads;
    options.interrupted = [] { return interrupted(); };
  }
};

// Nodes and classes are one number a row, shares one a class.
template <class T, class Predict>
void define_prediction(nb::module_& m, const char* name, Predict predict) {
  using namespace nb::literals;
  m.def(
      name,
      [predict](const nb::object& tree, const nb::list& columns,
                const std::vector<int>& n_categories, std::size_t n_rows, bool unseen_stops,
                int n_threads) {
        const Prediction p(tree, columns, n_categories, n_rows, unseen_stops, n_threads);
        constexpr bool by_class = std::is_same_v<T, double>;
        const std::size_t width = by_class ? p.tree.view.n_outputs() : 1;
        std::vector<T> out(n_rows * width);
        without_interpreter(
            [&] { predict(p.tree.view, p.columns, n_rows, p.options, out.data()); });
        return give(std::move(out), by_class ? width : 0);
      },
      "tree"_a, "columns"_a, "n_categories"_a, "n_rows"_a, "unseen_stops"_a, "n_threads"_a);
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

std::uint64_t hash_of_table(const nb::list& columns, const std::vector<int>& n_categories,
                            const TargetArray& target, const std::optional<Array<double>>& weights,
                            int n_threads) {
  const HeldExamples examples(columns, n_categories, target, 0, weights);
  std::uint64_t hash = 0;
  without_interpreter(
      [&] { hash = table_hash(examples.view(), n_threads, [] { return interrupted(); }); });
  return hash;
}

}  // namespace

NB_MODULE(_core, m) {
  using namespace nb::literals;
#ifndef PLAINTREE_SANITIZE
  nb::set_leak_warnings(false);  // a model that lives until Python ends, say in a cache, is no leak
#endif
  m.doc() = "The native engine of plaintree: growing and predicting on encoded columns.";
  m.def("grow", &grow_tree, "columns"_a, "n_categories"_a, "target"_a.noconvert(), "n_classes"_a,
        "weights"_a.noconvert().none(), "params"_a, "n_threads"_a,
        "case_weights"_a.noconvert().none() = nb::none(), "tree"_a.none() = nb::none(),
        "todo"_a.noconvert().none() = nb::none(), "grows_new_branches"_a = true);
  m.def("offers_at", &offers_at, "columns"_a, "n_categories"_a, "target"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert().none(), "params"_a, "n_threads"_a,
        "case_weights"_a.noconvert().none(), "tree"_a, "todo"_a.noconvert(), "cuts_of"_a = -1);
  define_prediction<std::int32_t>(m, "predict_nodes", predict_nodes);
  define_prediction<std::int32_t>(m, "predict_classes", predict_classes);
  define_prediction<double>(m, "predict_shares", predict_shares);
  m.def("prune_error_based", &error_based, "tree"_a, "columns"_a, "n_categories"_a,
        "classes"_a.noconvert(), "weights"_a.noconvert().none(), "confidence"_a, "criterion"_a);
  m.def("table_hash", &hash_of_table, "columns"_a, "n_categories"_a, "target"_a.noconvert(),
        "weights"_a.noconvert().none(), "n_threads"_a);
  m.def(
      "chi_square_p",
      [](const std::vector<double>& table, std::size_t n_columns) {
        return chi_square_p(table, n_columns);
      },
      "table"_a, "n_columns"_a);
  m.def(
      "adjusted_p",
      [](const std::vector<double>& table, std::size_t n_columns, int kind, int n_values,
         int n_features) {
        return adjusted_p(table, n_columns, {static_cast<NodeKind>(kind), n_values, n_features});
      },
      "table"_a, "n_columns"_a, "kind"_a, "n_values"_a, "n_features"_a);
  define_forests(m);
  define_levels(m);
  define_rules(m);
}
