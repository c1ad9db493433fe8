// C++ types of the registered operations; they must agree with the schemas in activation.cpp.
#pragma once

#include "ops/registration.h"

namespace factorgcn {

using ActivateSignature = at::Tensor(const at::Tensor& x, bool tanh, double slope);
using ActivateBackwardSignature = at::Tensor(const at::Tensor& grad_y, const at::Tensor& y, bool tanh, double slope);

}  // namespace factorgcn
