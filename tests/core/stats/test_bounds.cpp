// Bounds of values, and fractions compared where doubles cannot tell them apart.
#include "check.h"
#include "stats/bounds.h"

using namespace plaintree;

TEST(fractions_that_doubles_cannot_separate_are_compared_exactly) {
  const WideInt n = WideInt(1) << 60;
  const Fraction less{n * n - 1, n}, more{n * n, n}, same{3 * n, 3};
  CHECK(less.number() == more.number());
  CHECK(compare(less, more) < 0 && compare(more, less) > 0);
  CHECK(compare(more, same) == 0);
  const Fraction third{-1, 3}, two_sixths{-2, 6}, higher{1, 3};
  CHECK(compare(third, two_sixths) == 0 && compare(third, higher) < 0);
}

TEST(a_value_is_compared_with_the_middle_of_two) {
  const Middle half{{1, 3}, {2, 3}};
  CHECK(half.number() == 0.5);
  CHECK(compare({1, 2}, half) == 0 && compare({499, 1000}, half) < 0);
  const Middle zero{{-7, 11}, {7, 11}};
  CHECK(compare({0, 5}, zero) == 0 && compare({-1, 1000}, zero) < 0);
}

TEST(bounds_hold_values_and_clip_predictions) {
  const Bounds low = Bounds{}.below({{1, 4}, {3, 4}});
  CHECK(low.hold({1, 2}) && low.hold({-5, 1}) && !low.hold({501, 1000}));
  CHECK(low.clipped(0.75) == 0.5 && low.clipped(0.25) == 0.25);
  CHECK(low.clipped(3.0, 4.0) == 2.0);  // in units of 4
  const Bounds both = low.above({{0, 1}, {1, 2}});
  CHECK(both.hold({1, 4}) && !both.hold({1, 5}));
  CHECK(both.below({{3, 1}, {5, 1}}).highest == 0.5);  // within those of the parent
}

TEST(a_split_must_follow_the_direction_and_keep_the_bounds) {
  const Bounds bounds = Bounds{}.below({{1, 2}, {1, 2}});
  const Monotonic rising{1, &bounds}, falling{-1, &bounds};
  CHECK(rising.allows({1, 4}, {1, 2}) && rising.allows({1, 4}, {1, 4}));
  CHECK(!rising.allows({1, 4}, {3, 4}) && !rising.allows({1, 2}, {1, 4}));
  CHECK(falling.allows({1, 2}, {1, 4}) && !falling.allows({1, 4}, {1, 2}));
}
