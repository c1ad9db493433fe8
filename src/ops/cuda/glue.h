// Between libtorch's tensors and the kernels: the stream, launch errors, alignment.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "ops/checks.h"
#include "ops/registration.h"

namespace factorgcn::cuda {

/// Makes the tensor's GPU the current one, and knows the stream to launch on.
struct OnDeviceOf {
  explicit OnDeviceOf(const at::Tensor& tensor)
      : guard(tensor.device()), stream(c10::cuda::getCurrentCUDAStream(tensor.device().index()).stream()) {}
  ~OnDeviceOf() = default;
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

  c10::cuda::CUDAGuard guard;
  cudaStream_t stream;
};

inline void check_launch() { C10_CUDA_KERNEL_LAUNCH_CHECK(); }

/// Contiguous, and at an address that 16-byte loads may start from; a view into the middle of a tensor may not be.
inline at::Tensor kernel_ready(const at::Tensor& tensor) {
  const at::Tensor together = tensor.contiguous();
  return reinterpret_cast<std::uintptr_t>(together.data_ptr()) % 16 == 0 ? together : together.clone();
}

/// Offsets' values stay on the GPU unseen: only what can be checked without waiting for it.
inline std::int64_t check_offsets(const char* operation, const at::Tensor& offsets, const at::Tensor& like) {
  require(offsets.defined() && offsets.dim() == 1 && offsets.scalar_type() == at::kLong && offsets.is_contiguous() &&
              offsets.numel() >= 1,
          operation, ": offsets must be a contiguous list of int64 with at least one entry");
  check_same_device(operation, "offsets", offsets, like);
  return offsets.numel() - 1;
}

}  // namespace factorgcn::cuda
