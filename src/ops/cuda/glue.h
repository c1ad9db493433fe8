// Between libtorch's tensors and the kernels of the operations: alignment, and offsets that stay unseen.
#pragma once

#include <ATen/core/Tensor.h>

#include "gpu/cuda/on_device.h"
#include "ops/checks.h"
#include "ops/registration.h"

namespace factorgcn::cuda {

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
