// C++ types of the registered operations; they must agree with the schemas in mean_loss.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Returns the loss and its gradient; `kind` is a MeanLoss. On the GPU alone.
using MeanLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& prediction, const at::Tensor& targets,
                                                             const OptionalTensor& real_rows, std::int64_t kind);

/// values times a scalar where they are.
using ScaledSignature = at::Tensor(const at::Tensor& values, const at::Tensor& scale);

}  // namespace factorgcn
