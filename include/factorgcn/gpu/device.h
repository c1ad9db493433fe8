// GPUs: whether this build and this machine have one, and what a benchmark wants to know of it.
//
// A build without CUDA has the same functions: asking is answered with no, and using throws an Error that says what is
// missing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// True where this build has the GPU kernels and a GPU can be used.
FACTORGCN_API bool gpu_usable();

/// "cpu", "cuda", "cuda:1" or "auto": the first GPU where one is usable, else the CPU. Throws UsageError for any other
/// name, and for a GPU that this build or machine does not have.
FACTORGCN_API at::Device device_from_name(const std::string& name);

/// Makes a GPU the one that this thread's work goes to. Does nothing for the CPU.
FACTORGCN_API void use_device(at::Device device);

/// Waits until the GPU has done all that was asked of it. Does nothing for the CPU.
FACTORGCN_API void synchronize(at::Device device);

/// Bytes of a GPU's memory that nobody holds, and all there are.
struct FACTORGCN_API GpuMemory {
  std::int64_t free = 0, total = 0;
};
FACTORGCN_API GpuMemory gpu_memory(at::Device device);

/// Most GPU memory that tensors have held at once since the last call of reset_gpu_peak(), in MiB.
FACTORGCN_API double gpu_peak_mib(at::Device device);
FACTORGCN_API void reset_gpu_peak(at::Device device);

}  // namespace factorgcn
