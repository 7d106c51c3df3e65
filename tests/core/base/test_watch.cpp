// Interrupting a fit.
#include <cstdint>
#include <random>
#include <vector>

#include "base/team.h"
#include "check.h"
#include "grow/grow.h"
#include "tables.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(watch_stops_growing) {
  std::mt19937 random(1);
  std::vector<double> x(200000);
  std::vector<std::int32_t> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(random());
    y[i] = static_cast<std::int32_t>(random() % 2);
  }
  for (const int threads : {1, 2}) {
    bool stopped = false;
    try {
      const std::vector columns{numbers(x), numbers(x)};
      grow({columns, y, 2, {}}, {}, threads, [] { return true; });
    } catch (const Interrupted&) {
      stopped = true;
    }
    CHECK(stopped);
  }
}
