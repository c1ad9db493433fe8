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
  kElu,  ///< x > 0 ? x : exp(x) - 1; libtorch's own
};

FACTORGCN_API const char* activation_name(Activation activation);
/// `what` is named in the error, e.g. "model gcn: activation".
FACTORGCN_API Activation activation_from_name(const std::string& name, const std::string& what = "activation");

/// Whether it does nothing but multiply what is below 0: other operations can do that in passing.
inline bool is_leaky(Activation activation) {
  return activation != Activation::kTanh && activation != Activation::kElu;
}
/// What a leaky one multiplies by.
inline double slope_below_zero(Activation activation, double slope) {
  return activation == Activation::kNone ? 1.0 : (activation == Activation::kRelu ? 0.0 : slope);
}

/// y = activation(x), any shape, float32 or float64. The backward pass needs y alone.
FACTORGCN_API at::Tensor activate(const at::Tensor& x, Activation activation, double slope = 0.2);

}  // namespace factorgcn
