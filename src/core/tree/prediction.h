// The class that a node predicts: the one place of the core that decides it.
#pragma once

#include <cstdint>

#include "stats/statistics.h"

namespace plaintree {

// The majority class. The label decides in a node without weight, and on ties if `label_wins`.
inline std::int32_t predicted_class(const double* class_weights, int n_classes, double weight,
                                    std::int32_t label, bool label_wins) {
  const std::int32_t majority = majority_class(class_weights, n_classes);
  const bool tied = class_weights[label] == class_weights[majority];
  return weight <= 0 || (label_wins && tied) ? label : majority;
}

// An empty branch has the label of its parent.
inline std::int32_t label_of_branch(bool is_empty, std::int32_t parent_label,
                                    std::int32_t own_label) {
  return is_empty ? parent_label : own_label;
}

}  // namespace plaintree
