// The bits of exceptions, compared with the formula written out.
#include <cmath>

#include "check.h"
#include "rules/description.h"

using namespace plaintree;
using namespace plaintree::testing;

namespace {

double selection(double n, double chosen, double expected) {
  if (expected <= 1e-6) return chosen == 0 ? 0 : 1e6;
  if (expected >= n - 1e-6) return chosen == n ? 0 : 1e6;
  const double share = expected / n;
  return -chosen * std::log2(share) - (n - chosen) * std::log2(1 - share);
}

}  // namespace

TEST(bits_of_exceptions) {
  const int n = 9;
  const ExceptionBits bits(n);
  for (int covered = 0; covered <= n; ++covered)
    for (int fp = 0; fp <= covered; ++fp)
      for (int fn = 0; fn <= n - covered; ++fn) {
        const double mean = (fp + fn) / 2.0;
        const bool many = covered > n / 2.0;
        const double expected = std::log2(n) + selection(covered, fp, many ? mean : fp) +
                                selection(n - covered, fn, many ? fn : mean);
        CHECK(near(bits(covered, fp, fn), expected, 1e-9));
      }
}
