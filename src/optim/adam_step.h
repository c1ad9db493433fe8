// Adam's step on the GPU, behind optim/adam.h: in optim/cuda/ or, where the build has no CUDA, in optim/no_cuda/.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/optim/adam.h"

namespace factorgcn {

/// The flat arrays of optim/adam.h, on the GPU.
struct GpuAdamState {
  at::Tensor values, gradients, first, second;
  at::Tensor steps;  ///< int64 scalar, counted up by each step
  at::Tensor rate;   ///< float64 scalar, the learning rate
  at::Tensor ended;  ///< int32 scalar, 0 between steps: how many blocks of a step have ended
};

/// One step, without waiting: `parameter_gradients[i]` (undefined: zeros) belongs at offsets[i] of the flat arrays and
/// is written into `gradients` too.
void gpu_adam_step(const AdamOptions& options, const GpuAdamState& state,
                   const std::vector<at::Tensor>& parameter_gradients, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int64_t>& counts);

}  // namespace factorgcn
