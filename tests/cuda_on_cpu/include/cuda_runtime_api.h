// Stands in for CUDA's header of the same name: what plain-pointer interfaces and host code of kernels mention.
#pragma once

#include <cstring>

#include "cuda_on_cpu/device.h"

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel kernel, cudaFuncAttribute, int bytes) {
  factorgcn::cuda_on_cpu::allow_shared(reinterpret_cast<const void*>(kernel), static_cast<std::size_t>(bytes));
  return cudaSuccess;
}
