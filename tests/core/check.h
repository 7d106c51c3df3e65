// The tests of the core: TEST registers one, CHECK reports a condition that does not hold.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

namespace plaintree::testing {

struct Test {
  const char* file;
  int line;
  const char* name;
  void (*run)();
};

// A function, because tests of other files are registered before variables of this one exist.
inline std::vector<Test>& tests() {
  static std::vector<Test> registered;
  return registered;
}

inline bool add(Test test) {
  tests().push_back(test);
  return true;
}

inline int n_failed_checks = 0;

inline void check(bool holds, const char* condition, const char* file, int line) {
  if (holds) return;
  std::printf("%s:%d: does not hold: %s\n", file, line, condition);
  ++n_failed_checks;
}

inline bool near(double a, double b, double tolerance = 1e-12) {
  return std::fabs(a - b) <= tolerance;
}

}  // namespace plaintree::testing

#define CHECK(condition) plaintree::testing::check((condition), #condition, __FILE__, __LINE__)

// TEST(some_name) { ... } is a test of that name; it fails if a CHECK fails or anything is thrown.
#define TEST(name)                                                \
  static void name();                                             \
  [[maybe_unused]] static const bool name##_is_registered =       \
      plaintree::testing::add({__FILE__, __LINE__, #name, name}); \
  static void name()
