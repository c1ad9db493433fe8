// C++ types of the registered operations; they must agree with the schemas in factor_label_loss.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Returns the loss and its gradient in the logits.
using FactorLabelLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& logits);

/// The same where graphs from real_graphs on are padding; on the GPU alone, the CPU cuts them off beforehand.
using PaddedLabelLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& logits,
                                                                    const at::Tensor& real_graphs);

}  // namespace factorgcn
