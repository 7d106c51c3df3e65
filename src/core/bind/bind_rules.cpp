#include "bind/bind_rules.h"

#include "bind/bind_common.h"
#include "rules/shortened.h"
#include "rules/subset_search.h"
#include "search/mdl_cuts.h"

using namespace plaintree;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), array.shape(0)};
}

RowSets sets_of(const Matrix<std::uint64_t>& words) {
  return {words.data(), words.shape(0), words.shape(1)};
}

nb::tuple shortened_counts(const Array<std::int32_t>& clauses, const Array<std::int64_t>& begins,
                           const Array<std::int32_t>& labels,
                           const Matrix<std::uint64_t>& satisfying,
                           const Matrix<std::uint64_t>& of_class) {
  if (begins.shape(0) != labels.shape(0) + 1 || satisfying.shape(1) != of_class.shape(1))
    throw std::invalid_argument("rules and their rows differ in size");
  const ClauseLists rules{span_of(clauses), span_of(begins), span_of(labels)};
  ShortenedCounts counts;
  without_interpreter([&] {
    counts = count_shortened(rules, sets_of(satisfying), sets_of(of_class),
                             [] { return interrupted(); });
  });
  return nb::make_tuple(give(std::move(counts.covered)), give(std::move(counts.hits)));
}

// Without starts every subset is tried.
nb::ndarray<nb::numpy, std::uint8_t> best_subset(
    const Matrix<std::uint64_t>& covers, const Array<std::uint64_t>& positive, std::int64_t n_rows,
    const Array<double>& rule_bits, const std::optional<Matrix<std::uint8_t>>& starts) {
  const std::size_t n_rules = covers.shape(0);
  if (rule_bits.shape(0) != n_rules || (starts && starts->shape(1) != n_rules) ||
      positive.shape(0) != covers.shape(1))
    throw std::invalid_argument("rules and their rows differ in size");
  const ClassRules rules{sets_of(covers), positive.data(), n_rows, span_of(rule_bits)};
  Subset best;
  without_interpreter([&] {
    best = starts
               ? best_climb(rules, {starts->data(), starts->size()}, [] { return interrupted(); })
               : best_of_all(rules);
  });
  return give(std::move(best.chosen));
}

nb::ndarray<nb::numpy, std::int64_t> cuts(const Array<std::int64_t>& begins,
                                          const Array<std::int32_t>& classes,
                                          const Array<double>& weights, int n_classes, bool mdl) {
  const BlockRuns runs{span_of(begins), span_of(classes), span_of(weights), n_classes};
  std::vector<std::int64_t> chosen;
  without_interpreter([&] { chosen = chosen_cuts(runs, mdl, [] { return interrupted(); }); });
  return give(std::move(chosen));
}

}  // namespace

void define_rules(nb::module_& m) {
  using namespace nb::literals;
  m.def("shortened_counts", &shortened_counts, "clauses"_a.noconvert(), "begins"_a.noconvert(),
        "labels"_a.noconvert(), "satisfying"_a.noconvert(), "of_class"_a.noconvert());
  m.def("best_subset", &best_subset, "covers"_a.noconvert(), "positive"_a.noconvert(), "n_rows"_a,
        "rule_bits"_a.noconvert(), "starts"_a.noconvert().none());
  m.def("chosen_cuts", &cuts, "begins"_a.noconvert(), "classes"_a.noconvert(),
        "weights"_a.noconvert(), "n_classes"_a, "mdl"_a);
}
