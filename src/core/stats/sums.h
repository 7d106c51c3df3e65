// What the integers of a group mean: class weights, or the weight and sum of a numeric target.
//
// The type of the integers decides, so the search for splits is a template of it alone.
#pragma once

#include <cstdint>
#include <numeric>

namespace plaintree {

// Targets have up to 60 bits and weights, summed up, 61.
__extension__ typedef __int128 WideInt;

struct Measure;
struct TargetMeasure;

template <class Count>
struct SumsOf {
  using Measure = plaintree::Measure;
  static constexpr bool kClasses = true;
  static Count weight(const Count* group, int width) {
    return std::accumulate(group, group + width, Count(0));
  }
};

template <>
struct SumsOf<WideInt> {
  using Measure = TargetMeasure;
  static constexpr bool kClasses = false;
  static WideInt weight(const WideInt* group, int /*width*/) { return group[0]; }
};

template <class Count>
using MeasureOf = typename SumsOf<Count>::Measure;

}  // namespace plaintree
