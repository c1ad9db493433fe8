// Assembling on the GPU: in graph/cuda/ or, where the build has no CUDA, in graph/no_cuda/.
#pragma once

#include <ATen/core/Tensor.h>

#include "graph/padding.h"

namespace factorgcn {

/// Fills the plan's batch on the stream that is current for `device`.
void gpu_assemble(const AssemblyPlan& plan, at::Device device);

}  // namespace factorgcn
