// Sums come out as they went in, whether zeros are kept or not.
#include <cstdint>
#include <vector>

#include "check.h"
#include "grow/node_sums.h"

using namespace plaintree;

TEST(node_sums_are_read_as_they_were_added) {
  for (const int width : {2, 32, 33, 1000}) {
    NodeSums<std::int32_t> sums;
    std::vector<std::vector<std::int32_t>> added;
    for (int node = 0; node < 5; ++node) {
      added.emplace_back(width, 0);
      if (node > 0) added.back()[width - 1] = node;  // the first one has nothing but zeros
      if (node > 2) added.back()[0] = 7;
      sums.add(added.back());
    }
    std::vector<std::int32_t> found, all;
    for (int node = 0; node < 5; ++node) {
      sums.read(node, found);
      CHECK(found == added[node]);
      sums.append(node, all);
      const auto parts = sums.parts(node);
      for (std::size_t i = 0; i < parts.sums.size(); ++i)
        CHECK(parts.sums[i] == added[node][parts.place(i)]);
    }
    CHECK(all.size() == 5u * width && all.back() == 4);
    sums.clear();
    sums.add(added[3]);
    sums.read(0, found);
    CHECK(found == added[3]);
  }
}
