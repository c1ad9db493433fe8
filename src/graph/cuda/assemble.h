// Padded batches put together on the GPU. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include "graph/padding.h"

namespace factorgcn::cuda {

/// Fills the plan's batch; all of the plan's pointers are device memory. Does not wait.
void assemble(const AssemblyPlan& plan, cudaStream_t stream);

}  // namespace factorgcn::cuda
