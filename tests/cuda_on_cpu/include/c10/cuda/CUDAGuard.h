// Stands in for libtorch's header of the same name. There is one device.
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

class CUDAGuard {
 public:
  explicit CUDAGuard(Device) {}
};

class CUDAStreamGuard {
 public:
  explicit CUDAStreamGuard(const CUDAStream& stream) : before_(factorgcn::cuda_on_cpu::current_stream()) {
    factorgcn::cuda_on_cpu::set_current_stream(stream.stream());
  }
  ~CUDAStreamGuard() { factorgcn::cuda_on_cpu::set_current_stream(before_); }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;

 private:
  cudaStream_t before_;
};

}  // namespace c10::cuda
