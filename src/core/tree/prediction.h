// Labels of nodes. A row that ends in one node is predicted the label of that node.
#pragma once

#include <cstdint>

namespace plaintree {

// An empty branch has the label of its parent.
inline std::int32_t label_of_branch(bool is_empty, std::int32_t parent_label,
                                    std::int32_t own_label) {
  return is_empty ? parent_label : own_label;
}

}  // namespace plaintree
