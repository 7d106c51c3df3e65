// Growing by surrogate splits: which are kept, and where rows with a missing value go.
#include <vector>

#include "check.h"
#include "grow/grow.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {


Params by_surrogates() {
  Params params;
  params.missing = Missing::Surrogate;
  params.max_surrogates = 5;
  params.max_depth = 1;
  return params;
}

// The first column decides the class; the second agrees with it in all rows but one, backwards.
const std::vector<double> kFirst{1, 2, 3, 4, 11, 12, 13, 14, kNaN, kNaN};
const std::vector<double> kSecond{9, 8, 7, 1, 3, 2, 1.5, 1, 8.5, kNaN};
const std::vector<std::int32_t> kClasses{0, 0, 0, 0, 1, 1, 1, 1, 0, 1};

TreeArrays grown(const Params& params) {
  const std::vector<ColumnView> columns{numbers(kFirst), numbers(kSecond)};
  return grow({columns, kClasses, 2, {}}, params, 1, {});
}

}  // namespace

TEST(a_surrogate_sends_rows_backwards_if_that_agrees_more) {
  const TreeArrays tree = grown(by_surrogates());
  const SurrogateArrays& surrogates = tree.surrogates;
  CHECK(tree.attribute[0] == 0 && tree.threshold[0] == 7.5);
  CHECK(surrogates.begin[0] == 0 && surrogates.end[0] == 1 && surrogates.end[2] == 1);
  CHECK(surrogates.attribute[0] == 1 && surrogates.reversed[0] == 1);
  CHECK(surrogates.threshold[0] == 5.0);
  CHECK(surrogates.agreement[0] == 7.0 / 8);
  CHECK(surrogates.adjusted[0] == 3.0 / 4);
}

TEST(rows_that_no_surrogate_decides_stay_where_both_sides_weigh_the_same) {
  const TreeArrays tree = grown(by_surrogates());
  CHECK(tree.missing_child[0] == -2);
  CHECK(tree.n_rows[0] == 10 && tree.n_rows[1] == 5 && tree.n_rows[2] == 4);
}

TEST(without_surrogates_rows_stay) {
  Params params = by_surrogates();
  params.max_surrogates = 0;
  const TreeArrays none = grown(params);
  CHECK(none.surrogates.begin.empty() && none.surrogates.kind.empty());
  CHECK(none.missing_child[0] == -2 && none.n_rows[1] == 4 && none.n_rows[2] == 4);
  params.max_surrogates = 5;
  params.use_surrogates = UseSurrogates::No;
  CHECK(grown(params).n_rows[1] == 4);
}
