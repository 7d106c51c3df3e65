// Forests for Python: packed trees that are grown, filled, asked and looked at.
#include "bind/bind_forest.h"

#include "bind/bind_common.h"
#include "forest/forest.h"
#include "tree/plain_trees.h"

using namespace plaintree;

namespace {

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
                      const TargetArray& target, int n_classes,
                      const std::optional<Array<double>>& weights, const nb::dict& params,
                      const nb::dict& options, int n_threads, const nb::object& progress) {
  const HeldExamples examples(columns, n_categories, target, n_classes, weights);
  const Params p = params_of(params);
  ForestOptions o;
  o.first_tree = nb::cast<std::uint32_t>(options["first_tree"]);
  o.n_trees = nb::cast<std::uint32_t>(options["n_trees"]);
  o.sampling = sampling_of(options);
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

PackedTree pack(const nb::object& tree, int criterion, bool any_node_answers) {
  TreeArrays arrays;
  arrays.kind = copy_of<std::int8_t>(tree, "kind");
  arrays.attribute = copy_of<std::int32_t>(tree, "feature");
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
  arrays.value = copy_of<double>(tree, "prediction");
  const nb::object weights = tree.attr("class_weights");
  const auto matrix =
      nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(weights,
                                                                                      false);
  arrays.class_weights.assign(matrix.data(), matrix.data() + matrix.size());
  return PackedTree::pack(arrays, static_cast<int>(matrix.shape(1)),
                          static_cast<Criterion>(criterion), any_node_answers);
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
  const std::size_t n_classes = tree_at(forest, first).n_outputs();
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
                        const std::vector<int>& n_categories, const TargetArray& target,
                        const Array<std::uint32_t>& rows, const nb::dict& sampling, int voting,
                        bool unseen_stops, int n_threads) {
  const int n_classes = tree_at(forest, 0).n_classes;
  const HeldExamples examples(columns, n_categories, target, n_classes, std::nullopt);
  const auto options = forest_options(unseen_stops, n_threads);
  const Sampling s = sampling_of(sampling);
  OutOfBag result;
  without_interpreter([&] {
    result = out_of_bag(forest.trees, examples.view(), {rows.data(), rows.shape(0)}, s,
                        static_cast<Voting>(voting), options);
  });
  return nb::make_tuple(give(std::move(result.votes), tree_at(forest, 0).n_outputs()),
                        give(std::move(result.n_trees)), give(std::move(result.errors)));
}

nb::ndarray<nb::numpy, double> permutation_losses_of(const Forest& forest, const nb::list& columns,
                                                     const std::vector<int>& n_categories,
                                                     const TargetArray& target,
                                                     const Array<std::uint32_t>& rows,
                                                     const nb::dict& sampling, bool unseen_stops,
                                                     int n_threads) {
  const HeldExamples examples(columns, n_categories, target, tree_at(forest, 0).n_classes,
                              std::nullopt);
  const auto options = forest_options(unseen_stops, n_threads);
  const Sampling s = sampling_of(sampling);
  std::vector<double> losses;
  without_interpreter([&] {
    losses =
        permutation_losses(forest.trees, examples.view(), {rows.data(), rows.shape(0)}, s, options);
  });
  return give(std::move(losses), n_categories.size());
}

}  // namespace

void define_forests(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Forest>(m, "Forest", "Packed trees that vote together.")
      .def(nb::init<>())
      .def("append",
           [](Forest& forest, const nb::object& tree, int criterion, bool any_node_answers) {
             forest.trees.push_back(pack(tree, criterion, any_node_answers));
           })
      .def(
          "append_plain",
          [](Forest& forest, int n_classes, const Array<std::uint32_t>& n_nodes,
             const Array<std::uint8_t>& is_inner, const Array<std::int32_t>& attribute,
             const Array<double>& threshold, const Array<std::int8_t>& missing_child,
             const Array<std::int32_t>& n_tied, const Array<std::uint32_t>& leaf_rows,
             const Array<std::int32_t>& leaf_counts, bool any_node_answers) {
            const auto span = [](const auto& a) { return std::span(a.data(), a.shape(0)); };
            const PlainTrees columns{n_classes,       span(n_nodes),   span(is_inner),
                                     span(attribute), span(threshold), span(missing_child),
                                     span(n_tied),    span(leaf_rows), span(leaf_counts)};
            std::vector<PackedTree> trees;
            {
              nb::gil_scoped_release release;
              pack_plain_trees(columns, any_node_answers, trees);
            }
            for (PackedTree& tree : trees) forest.trees.push_back(std::move(tree));
          },
          "n_classes"_a, "n_nodes"_a.noconvert(), "is_inner"_a.noconvert(), "feature"_a.noconvert(),
          "threshold"_a.noconvert(), "missing_child"_a.noconvert(), "n_tied"_a.noconvert(),
          "leaf_rows"_a.noconvert(), "leaf_counts"_a.noconvert(), "any_node_answers"_a)
      .def("extend",
           [](Forest& forest, const Forest& more) {
             forest.trees.insert(forest.trees.end(), more.trees.begin(), more.trees.end());
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
      .def("out_of_bag", &out_of_bag_of, "columns"_a, "n_categories"_a, "target"_a.noconvert(),
           "rows"_a.noconvert(), "sampling"_a, "voting"_a, "unseen_stops"_a, "n_threads"_a)
      .def("permutation_losses", &permutation_losses_of, "columns"_a, "n_categories"_a,
           "target"_a.noconvert(), "rows"_a.noconvert(), "sampling"_a, "unseen_stops"_a,
           "n_threads"_a);
  m.def("grow_forest", &grow_forest_of, "columns"_a, "n_categories"_a, "target"_a.noconvert(),
        "n_classes"_a, "weights"_a.noconvert().none(), "params"_a, "options"_a, "n_threads"_a,
        "progress"_a.none());
  m.def(
      "draw_sample",
      [](const nb::dict& sampling, std::uint32_t tree, std::uint32_t n_rows) {
        std::vector<std::uint32_t> times;
        sampling_of(sampling).draw(tree, n_rows, times);
        return give(std::move(times));
      },
      "sampling"_a, "tree"_a, "n_rows"_a);
}
