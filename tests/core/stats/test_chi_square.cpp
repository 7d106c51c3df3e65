// The chi-square test against a worked table.
#include <vector>

#include "check.h"
#include "stats/chi_square.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(chi_square) {
  const std::vector<double> table{10, 20, 20, 10};  // statistic 6.667, one degree of freedom
  CHECK(near(chi_square_p(table, 2), 0.009823274507519235, 1e-12));
  const std::vector<double> one_row{3, 4, 0, 0};
  CHECK(chi_square_p(one_row, 2) == 1.0);
}
