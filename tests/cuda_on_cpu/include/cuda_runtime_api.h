// Stands in for CUDA's header of the same name: what plain-pointer interfaces and host code of kernels mention.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "cuda_on_cpu/device.h"
#include "cuda_on_cpu/streams.h"

using cudaStream_t = factorgcn::cuda_on_cpu::Stream*;
using cudaEvent_t = factorgcn::cuda_on_cpu::Event*;
enum cudaError_t { cudaSuccess };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

enum cudaMemcpyKind { cudaMemcpyHostToDevice };

inline constexpr unsigned cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1;

inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }

/// Kept to the end of the program.
inline cudaError_t cudaMalloc(void** place, std::size_t bytes) {
  static std::deque<std::vector<std::max_align_t>> all;
  all.emplace_back(bytes / sizeof(std::max_align_t) + 1);
  *place = all.back().data();
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least_urgent, int* most_urgent) {
  *least_urgent = *most_urgent = 0;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = factorgcn::cuda_on_cpu::new_stream();
  return cudaSuccess;
}

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
