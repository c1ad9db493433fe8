// C++ types of the registered operations; they must agree with the schemas in dense_pool.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Returns the means and y, which the backward pass needs.
using DensePoolSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& x, const at::Tensor& weight,
                                                              const at::Tensor& bias, const at::Tensor& bias_scale,
                                                              const at::Tensor& offsets);

using DensePoolBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& bias_scale, const at::Tensor& offsets);

}  // namespace factorgcn
