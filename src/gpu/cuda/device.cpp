// GPUs through libtorch's own device layer.
#include "factorgcn/gpu/device.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <cuda_runtime_api.h>

#include "factorgcn/base/error.h"
#include "gpu/gpu_count.h"

namespace factorgcn {

int gpu_count() { return static_cast<int>(c10::cuda::device_count()); }

std::string why_no_gpu() { return "there is no GPU that can be used on this machine; nvidia-smi should list one"; }

void use_device(at::Device device) {
  if (!device.is_cpu()) {
    c10::cuda::set_device(device.index());
  }
}

void synchronize(at::Device device) {
  if (!device.is_cpu()) {
    const c10::cuda::CUDAGuard guard(device);
    c10::cuda::device_synchronize();
  }
}

GpuMemory gpu_memory(at::Device device) {
  const c10::cuda::CUDAGuard guard(device);
  std::size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

double gpu_peak_mib(at::Device device) {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
  return static_cast<double>(stats.allocated_bytes[0].peak) / (1 << 20);  // 0: all pools together
}

void reset_gpu_peak(at::Device device) { c10::cuda::CUDACachingAllocator::resetPeakStats(device.index()); }

}  // namespace factorgcn
