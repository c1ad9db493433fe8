// Ridge regression: the solution solves its equations, and leaving one out in closed form is leaving one out.
#include "relations/ridge.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "eval/arbitrary.h"

namespace factorgcn {
namespace {

RC_GTEST_PROP(Ridge, SolvesItsEquationsAndLeavesOneOut, ()) {
  const int count = pick(2, 8), outputs = pick(1, 3), rank = pick(1, 5);
  std::vector<double> rows, kernel(count * count), targets;
  for (const int value : pick_many(count * rank, -5, 6)) {
    rows.push_back(value / 3.0);
  }
  for (const int value : pick_many(count * outputs, -5, 6)) {
    targets.push_back(value);
  }
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      for (int at = 0; at < rank; ++at) {
        kernel[a * count + b] += rows[a * rank + at] * rows[b * rank + at];
      }
    }
  }
  const relations::RidgeFit fit = relations::fit_ridge(kernel, count, targets, outputs, 0.5);
  for (int a = 0; a < count; ++a) {
    for (int output = 0; output < outputs; ++output) {
      double sum = 0.5 * fit.weights[a * outputs + output];
      for (int b = 0; b < count; ++b) {
        sum += kernel[a * count + b] * fit.weights[b * outputs + output];
      }
      RC_ASSERT(std::abs(sum - targets[a * outputs + output]) < 1e-6);
    }
  }
  // Once more without `out`.
  const int out = pick(0, count);
  std::vector<double> fewer, fewer_targets;
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count && a != out; ++b) {
      if (b != out) {
        fewer.push_back(kernel[a * count + b]);
      }
    }
    for (int output = 0; output < outputs && a != out; ++output) {
      fewer_targets.push_back(targets[a * outputs + output]);
    }
  }
  const relations::RidgeFit without = relations::fit_ridge(fewer, count - 1, fewer_targets, outputs, 0.5);
  for (int output = 0; output < outputs; ++output) {
    double predicted = 0;
    for (int b = 0, at = 0; b < count; ++b) {
      if (b != out) {
        predicted += kernel[out * count + b] * without.weights[at++ * outputs + output];
      }
    }
    RC_ASSERT(std::abs(predicted - fit.left_out[out * outputs + output]) < 1e-6 * (1 + std::abs(predicted)));
  }
}

}  // namespace
}  // namespace factorgcn
