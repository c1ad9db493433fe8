// Checks of arguments that operations share, on the CPU and on the GPU: each throws an Error of one line that names the
// operation, the argument, what was found and what was expected.
#pragma once

#include <ATen/core/Tensor.h>

#include "ops/registration.h"

namespace factorgcn {

inline void check_same_device(const char* operation, const char* name, const at::Tensor& tensor,
                              const at::Tensor& like) {
  require(tensor.device() == like.device(), operation, ": ", name, " is on ", tensor.device(), ", expected ",
          like.device());
}

/// Of the given shape, and of like's type and device.
inline void check_table(const char* operation, const char* name, const at::Tensor& tensor, at::IntArrayRef shape,
                        const at::Tensor& like) {
  require(tensor.defined(), operation, ": ", name, " is not defined");
  require(tensor.sizes() == shape, operation, ": ", name, " has shape ", tensor.sizes(), ", expected ", shape);
  require(tensor.scalar_type() == like.scalar_type(), operation, ": ", name, " has type ", tensor.scalar_type(),
          ", expected ", like.scalar_type());
  check_same_device(operation, name, tensor, like);
}

/// One of the lists of graph/adjacency.h.
inline void check_index(const char* operation, const char* name, const at::Tensor& tensor, at::ScalarType type,
                        std::int64_t length, const at::Tensor& like) {
  require(tensor.defined() && tensor.dim() == 1 && tensor.scalar_type() == type && tensor.is_contiguous(), operation,
          ": ", name, " must be a contiguous list of ", type, "; build it with build_adjacency");
  require(tensor.numel() == length, operation, ": ", name, " has ", tensor.numel(), " entries, expected ", length);
  check_same_device(operation, name, tensor, like);
}

}  // namespace factorgcn
