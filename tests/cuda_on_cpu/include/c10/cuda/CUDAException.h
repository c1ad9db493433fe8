// Stands in for libtorch's header of the same name. Launches that a GPU would refuse throw by themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

#define C10_CUDA_CHECK(call)                    \
  do {                                          \
    if ((call) != cudaSuccess) {                \
      throw std::logic_error("failed: " #call); \
    }                                           \
  } while (false)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() static_cast<void>(0)
