// Stands in for libtorch's header of the same name: streams are those of cuda_on_cpu/streams.h, of one device.
#pragma once

#include <c10/core/Device.h>
#include <cuda_runtime_api.h>

#include "cuda_on_cpu/streams.h"

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return -1; }  // as tensors on the CPU have it
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
  return CUDAStream(factorgcn::cuda_on_cpu::current_stream());
}
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
  return CUDAStream(factorgcn::cuda_on_cpu::new_stream());
}

}  // namespace c10::cuda
