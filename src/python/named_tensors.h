// Weights by name, as a dictionary that Python gets; values are copies.
#pragma once

#include <ATen/core/Dict.h>

#include <string>

#include "factorgcn/train/weights.h"

namespace factorgcn::python {

using TensorsByName = c10::Dict<std::string, at::Tensor>;

inline TensorsByName by_name(const NamedTensors& tensors) {
  TensorsByName result;
  for (const auto& [name, tensor] : tensors) {
    result.insert(name, tensor.detach().clone());
  }
  return result;
}

}  // namespace factorgcn::python
