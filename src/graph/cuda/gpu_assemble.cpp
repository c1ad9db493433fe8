// Between libtorch's streams and the kernels that assemble batches.
#include "graph/gpu_assemble.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "graph/cuda/assemble.h"

namespace factorgcn {

void gpu_assemble(const AssemblyPlan& plan, at::Device device) {
  const c10::cuda::CUDAGuard guard(device);
  cuda::assemble(plan, c10::cuda::getCurrentCUDAStream(device.index()).stream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace factorgcn
