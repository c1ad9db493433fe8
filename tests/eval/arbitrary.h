// Random values for RapidCheck properties, always drawn from the whole range.
//
// RapidCheck starts with small sizes and scales ranges by them, which leaves few of its cases with anything to find.
#pragma once

#include <rapidcheck.h>

#include <vector>

namespace factorgcn {

/// low .. high - 1.
inline int pick(int low, int high) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high)); }

inline std::vector<int> pick_many(int count, int low, int high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::container<std::vector<int>>(count, rc::gen::inRange(low, high)));
}

}  // namespace factorgcn
