// Initial weights, drawn from our own streams so that they are the same with every libtorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cmath>

#include "factorgcn/base/random.h"
#include "factorgcn/nn/weight_budget.h"

namespace factorgcn {

/// Values uniform in [-bound, bound).
inline at::Tensor uniform_tensor(at::IntArrayRef shape, double bound, RandomStream& random) {
  WeightBudget::charge(shape.data(), shape.size());
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kFloat));
  float* values = tensor.data_ptr<float>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  }
  return tensor;
}

/// The usual start of a linear map: uniform within 1 / sqrt(inputs), for weights and biases alike.
inline double linear_bound(std::int64_t inputs) { return 1.0 / std::sqrt(static_cast<double>(inputs)); }

}  // namespace factorgcn
