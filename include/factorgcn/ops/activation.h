// Elementwise activations, parallel and vectorised, with gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class Activation {
  kNone,
  kLeakyRelu,  ///< x > 0 ? x : slope * x
  kRelu,       ///< leaky with slope 0
  kTanh,
};

FACTORGCN_API const char* activation_name(Activation activation);
FACTORGCN_API Activation activation_from_name(const std::string& name);

/// y = activation(x), any shape, float32 or float64. The backward pass needs y alone.
FACTORGCN_API at::Tensor activate(const at::Tensor& x, Activation activation, double slope = 0.2);

}  // namespace factorgcn
