// Copying weights out of and into a module; checks come first, so that a failed load changes nothing.
#include "factorgcn/train/weights.h"

#include <ATen/core/grad_mode.h>

#include <map>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// The module's own tensors, not copies.
NamedTensors own_tensors(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters()) {
    tensors.emplace_back(item.key(), item.value());
  }
  for (const auto& item : module.named_buffers()) {
    tensors.emplace_back(item.key(), item.value());
  }
  return tensors;
}

}  // namespace

at::Device device_of(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  return parameters.empty() ? at::Device(at::kCPU) : parameters.front().device();
}

NamedTensors copy_weights(const torch::nn::Module& module) {
  NamedTensors tensors = own_tensors(module);
  for (auto& [name, tensor] : tensors) {
    tensor = tensor.detach().to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  }
  return tensors;
}

void check_tensors(const NamedTensors& expected, const NamedTensors& found, const std::string& where) {
  std::map<std::string, const at::Tensor*> by_name;
  for (const auto& [name, tensor] : found) {
    require(by_name.emplace(name, &tensor).second, where, ": tensor '", name, "' occurs twice");
  }
  for (const auto& [name, tensor] : expected) {
    const auto entry = by_name.find(name);
    require(entry != by_name.end(), where, ": tensor '", name, "' is missing; it belongs to another model");
    const at::Tensor& other = *entry->second;
    require(other.sizes() == tensor.sizes(), where, ": tensor '", name, "' is ", other.sizes(), ", the model's is ",
            tensor.sizes(), "; it belongs to a model of other sizes");
    require(other.scalar_type() == tensor.scalar_type(), where, ": tensor '", name, "' is ", other.dtype(),
            ", the model's is ", tensor.dtype());
    by_name.erase(entry);
  }
  require(by_name.empty(), where, ": tensor ", shown_text(by_name.empty() ? "" : by_name.begin()->first),
          " is unknown to the model; it belongs to another model");
}

void check_weights(const torch::nn::Module& module, const NamedTensors& weights, const std::string& where) {
  check_tensors(own_tensors(module), weights, where);
}

void copy_tensors(const NamedTensors& from, NamedTensors& to) {
  const at::NoGradGuard no_grad;
  std::map<std::string, const at::Tensor*> by_name;
  for (const auto& [name, tensor] : from) {
    by_name.emplace(name, &tensor);
  }
  for (auto& [name, tensor] : to) {
    tensor.copy_(*by_name.at(name));
  }
}

void load_weights(torch::nn::Module& module, const NamedTensors& weights, const std::string& where) {
  NamedTensors own = own_tensors(module);
  check_tensors(own, weights, where);
  copy_tensors(weights, own);
}

}  // namespace factorgcn
