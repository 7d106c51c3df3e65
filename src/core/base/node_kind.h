// The kinds of nodes; the numbers are those of NodeKind in tree/condition.py.
#pragma once

#include <cstdint>

namespace plaintree {

enum class NodeKind : std::int8_t { Leaf, Threshold, Multiway, Equals, Subset, Grouped };

}  // namespace plaintree
