// A model's weights as named tensors: learnt parameters and buffers such as running statistics.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Where the module's parameters are; the CPU where it has none.
FACTORGCN_API at::Device device_of(const torch::nn::Module& module);

/// Copies of all parameters and buffers in main memory, in the module's order.
FACTORGCN_API NamedTensors copy_weights(const torch::nn::Module& module);

/// Throws Error naming the first tensor that is missing, unknown, given twice, or of another shape or type than
/// expected. `where` opens the message.
FACTORGCN_API void check_tensors(const NamedTensors& expected, const NamedTensors& found, const std::string& where);

/// Copies values in place, matched by name. Both must have passed check_tensors().
FACTORGCN_API void copy_tensors(const NamedTensors& from, NamedTensors& to);

/// check_tensors() against the module's parameters and buffers.
FACTORGCN_API void check_weights(const torch::nn::Module& module, const NamedTensors& weights,
                                 const std::string& where);

/// check_weights(), then copies values in place: on an error the module is untouched.
FACTORGCN_API void load_weights(torch::nn::Module& module, const NamedTensors& weights, const std::string& where);

}  // namespace factorgcn
