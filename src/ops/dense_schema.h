// C++ types of the registered operations; they must agree with the schemas in dense.cpp.
#pragma once

#include <array>
#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

using DenseSignature = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                                  const OptionalTensor& bias_scale, bool tanh);

/// `wanted`: which of the gradients of x, weight, bias and bias_scale are needed; the others come back undefined.
using DenseBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_y, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight,
    const OptionalTensor& bias, const OptionalTensor& bias_scale, bool tanh, std::array<bool, 4> wanted);

}  // namespace factorgcn
