// Between libtorch's tensors and launches of kernels: the device, its stream, launch errors.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

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

}  // namespace factorgcn::cuda
