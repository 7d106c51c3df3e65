// Runs the tests of the core, one line each: test_core [part of a file's or a test's name].
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <tuple>

#include "check.h"

using namespace plaintree::testing;

namespace {

// From the directory of the core's tests on: table/test_training_table.cpp.
std::string short_path(const std::string& file) {
  const std::string root = "tests/core/";
  const std::size_t at = file.rfind(root);
  return at == std::string::npos ? file : file.substr(at + root.size());
}

bool passes(const Test& test) {
  n_failed_checks = 0;
  try {
    test.run();
  } catch (const std::exception& error) {
    std::printf("%s:%d: throws: %s\n", test.file, test.line, error.what());
    return false;
  }
  return n_failed_checks == 0;
}

}  // namespace

int main(int argc, char** argv) {
  // By file and line: the order in which files register their tests is the linker's affair.
  std::sort(tests().begin(), tests().end(), [](const Test& a, const Test& b) {
    return std::tuple(short_path(a.file), a.line) < std::tuple(short_path(b.file), b.line);
  });
  const std::string wanted = argc > 1 ? argv[1] : "";
  int n_passed = 0, n_failed = 0;
  for (const Test& test : tests()) {
    const std::string title = short_path(test.file) + ": " + test.name;
    if (title.find(wanted) == std::string::npos) continue;
    const bool passed = passes(test);
    std::printf("%s  %s\n", passed ? "ok  " : "FAIL", title.c_str());
    ++(passed ? n_passed : n_failed);
  }
  std::printf("core: %d passed, %d failed\n", n_passed, n_failed);
  return n_failed > 0 || n_passed == 0;
}
