// Stands in for CUDA's header of the same name: what plain-pointer interfaces and host code of kernels mention.
#pragma once

#include <cstring>

#include "cuda_on_cpu/device.h"
#include "cuda_on_cpu/streams.h"

using cudaStream_t = factorgcn::cuda_on_cpu::Stream*;
using cudaEvent_t = factorgcn::cuda_on_cpu::Event*;
enum cudaError_t { cudaSuccess };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

inline constexpr unsigned cudaEventDisableTiming = 2;

inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  factorgcn::cuda_on_cpu::submit(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = factorgcn::cuda_on_cpu::new_event();
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }  // none is ever taken back
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  factorgcn::cuda_on_cpu::record(event, stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  factorgcn::cuda_on_cpu::wait(stream, event);
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel kernel, cudaFuncAttribute, int bytes) {
  factorgcn::cuda_on_cpu::allow_shared(reinterpret_cast<const void*>(kernel), static_cast<std::size_t>(bytes));
  return cudaSuccess;
}
