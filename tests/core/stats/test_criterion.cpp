// The impurities of class counts against worked values.
#include <cstdint>

#include "check.h"
#include "stats/criterion.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(entropy_and_gini) {
  const XLogX x_log_x(100);
  Params params;
  params.criterion = Criterion::InformationGain;
  const Measure entropy{&params, 2, 1.0, &x_log_x};
  const std::int32_t tennis[] = {9, 5};
  CHECK(near(entropy.information(tennis, 14) / 14, 0.940285958670631, 1e-12));
  Params gini_params;
  const Measure gini{&gini_params, 2, 1.0, &x_log_x};
  const std::int32_t counts[] = {1, 5};
  CHECK(near(gini.information(counts, 6) / 6, 10.0 / 36));
  CHECK(XLogX::compute(0) == 0 && XLogX::compute(2) == 2);
}
