// A build without CUDA has no tensors on a GPU to step with.
#include "optim/adam_step.h"

#include "factorgcn/base/error.h"
#include "gpu/gpu_count.h"

namespace factorgcn {

void gpu_adam_step(const AdamOptions&, const GpuAdamState&, const std::vector<at::Tensor>&,
                   const std::vector<std::int64_t>&, const std::vector<std::int64_t>&) {
  fail(why_no_gpu());
}

}  // namespace factorgcn
