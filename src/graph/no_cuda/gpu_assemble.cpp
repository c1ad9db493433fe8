// A build without CUDA assembles its batches on the CPU alone.
#include "graph/gpu_assemble.h"

#include "factorgcn/base/error.h"
#include "gpu/gpu_count.h"

namespace factorgcn {

void gpu_assemble(const AssemblyPlan&, at::Device) { fail(why_no_gpu()); }

}  // namespace factorgcn
