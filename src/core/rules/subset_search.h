// The search for the subset of a class's rules whose description is shortest (C4.5rules).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rules/shortened.h"

namespace plaintree {

// The rules of one class: the rows that each covers, its bits, and the rows of the class.
struct ClassRules {
  RowSets covers;
  const std::uint64_t* positive;
  std::int64_t n_rows;
  std::span<const double> rule_bits;

  std::size_t n_rules() const { return covers.n_sets; }
};

struct Subset {
  std::vector<std::uint8_t> chosen;
  double bits;
};

// Every subset is tried; on ties the first wins, if the first rule varies fastest and the empty
// subset begins. For a few rules only.
Subset best_of_all(const ClassRules& rules);

// From a subset on, the one rule is added or dropped that saves most, as long as one does. Of
// several starts (a flag for each rule, one start after the other) the first of the best ends.
Subset best_climb(const ClassRules& rules, std::span<const std::uint8_t> starts,
                  std::function<bool()> interrupted = {});

}  // namespace plaintree
