// Squared errors by sample, and the targets' squared distances from their mean: what RMSE and R2 are made of.
#pragma once

#include <vector>

#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// Of one column.
struct SquaredErrors {
  std::vector<double> errors, distances;  ///< by row
  double error_sum = 0, distance_sum = 0;

  SquaredErrors(const Answers& answers, std::int64_t column);
};

}  // namespace factorgcn
