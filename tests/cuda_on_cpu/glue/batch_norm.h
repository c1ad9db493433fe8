// The GPU's batch norm while training, with tensors on the CPU in place of the GPU's.
#pragma once

#include "factorgcn/ops/batch_norm.h"
#include "ops/batch_norm_schema.h"

namespace factorgcn::cuda_on_cpu {

inline at::Tensor training_batch_norm(const at::Tensor& x, BatchNormState& state, double slope) {
  return std::get<0>(find_operation<TrainingBatchNormSignature>("factorgcn::training_batch_norm")
                         .redispatch(c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), x, state.gamma, state.beta,
                                     state.running_mean, state.running_variance, OptionalTensor(), OptionalTensor(),
                                     state.momentum, state.eps, slope));
}

}  // namespace factorgcn::cuda_on_cpu
