// A team of threads.
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/team.h"
#include "check.h"

using namespace plaintree;
using namespace plaintree::testing;

TEST(team_runs_every_task_once_and_passes_errors_on) {
  Watch watch;
  Team team(3, watch);
  std::vector<std::atomic<int>> calls(1000);
  team.run(1000, [&](int i, int) { ++calls[i]; });
  for (const auto& n : calls) CHECK(n == 1);
  bool thrown = false;
  try {
    team.run(100, [](int i, int) {
      if (i == 50) throw std::runtime_error("task 50");
    });
  } catch (const std::runtime_error& error) {
    thrown = std::string(error.what()) == "task 50";
  }
  CHECK(thrown);
}
