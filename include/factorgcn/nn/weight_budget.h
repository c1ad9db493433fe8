// How many initial weights a network may draw while it is made. For whoever makes one by a stranger's settings, to put
// known weights into it: more than there are cannot be right, and must not take the memory first.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API WeightBudget {
 public:
  /// For networks that this thread makes while the object lives; beyond `values` they throw Error with `reason`.
  WeightBudget(std::int64_t values, std::string reason);
  ~WeightBudget();
  WeightBudget(const WeightBudget&) = delete;
  WeightBudget& operator=(const WeightBudget&) = delete;

  /// Counts the values of a tensor that is about to be made, where there is a budget.
  static void charge(const std::int64_t* sizes, std::size_t dimensions);

 private:
  WeightBudget* outer_;
  std::int64_t left_;
  std::string reason_;
};

}  // namespace factorgcn
