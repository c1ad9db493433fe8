// Checks of tensors that are read through raw pointers: a wrong type, place, layout or length must stop at the door.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

#include "factorgcn/base/error.h"

namespace factorgcn {

/// Shape as "[2, 3]".
inline std::string shape_text(const at::Tensor& tensor) {
  std::string text = "[";
  for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension) {
    text += (dimension == 0 ? "" : ", ") + std::to_string(tensor.size(dimension));
  }
  return text + "]";
}

/// Defined, in main memory, of the given type.
inline void require_readable(const at::Tensor& tensor, at::ScalarType type, const std::string& name, const char* what) {
  require(tensor.defined(), name, ": ", what, " is missing");
  require(tensor.device().is_cpu(), name, ": ", what, " is on ", tensor.device().str(), "; it must be in main memory");
  require(tensor.scalar_type() == type, name, ": ", what, " has type ", c10::toString(tensor.scalar_type()),
          "; it must be ", c10::toString(type));
}

/// The same, one-dimensional, contiguous and of the given length.
inline void require_vector(const at::Tensor& tensor, at::ScalarType type, std::int64_t length, const std::string& name,
                           const char* what) {
  require_readable(tensor, type, name, what);
  require(tensor.dim() == 1 && tensor.size(0) == length, name, ": ", what, " has shape ", shape_text(tensor),
          "; it must be [", length, "]");
  require(tensor.is_contiguous(), name, ": ", what, " is not contiguous; call contiguous() on it");
}

}  // namespace factorgcn
