// Kernel ridge regression with its leave-one-out error in closed form.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn::relations {

struct RidgeFit {
  std::vector<double> weights;   // [n, outputs]
  std::vector<double> left_out;  // [n, outputs] each target as predicted without it
};

/// Solves (kernel + penalty I) weights = targets; kernel is [n, n], symmetric and positive. Cost: O(n^3).
FACTORGCN_API RidgeFit fit_ridge(std::vector<double> kernel, int count, const std::vector<double>& targets, int outputs,
                                 double penalty);

}  // namespace factorgcn::relations
