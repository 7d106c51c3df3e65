// Cuts of blocks, where weights of rows are integers and where they are not.
#include <cstdint>
#include <vector>

#include "check.h"
#include "search/mdl_cuts.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

// One run a block.
std::vector<std::int64_t> cuts(const std::vector<std::int32_t>& classes, double weight, bool mdl) {
  std::vector<std::int64_t> begins;
  for (std::size_t i = 0; i <= classes.size(); ++i) begins.push_back(static_cast<std::int64_t>(i));
  const std::vector<double> weights(classes.size(), weight);
  return chosen_cuts({begins, classes, weights, 3}, mdl);
}

using Blocks = std::vector<std::int64_t>;

}  // namespace

TEST(blocks_are_cut_until_they_are_of_one_class) {
  for (const double weight : {1.0, 0.3, 1e-200, 1e7}) {
    CHECK(cuts({0, 1, 0, 2}, weight, false) == (Blocks{0, 1, 2}));
    CHECK(cuts({1}, weight, false).empty());
  }
}

TEST(a_cut_must_pay_for_its_description) {
  CHECK(cuts({0, 1, 0}, 2, true).empty());
  CHECK(cuts({0, 1, 0}, 25, true) == (Blocks{0, 1}));
  CHECK(cuts({0, 1, 0}, 25.5, true) == (Blocks{0, 1}));
}

TEST(a_cut_must_save_something) {
  const std::vector<std::int64_t> begins{0, 2, 4};
  const std::vector<std::int32_t> classes{0, 1, 0, 1};
  for (const double weight : {3.0, 0.3}) {
    const std::vector<double> weights{weight, 2 * weight, 2 * weight, 4 * weight};
    CHECK(chosen_cuts({begins, classes, weights, 2}, false).empty());
  }
}
