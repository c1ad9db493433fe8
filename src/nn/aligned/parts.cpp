// Weights begin as torch::nn::Linear's do.
#include "nn/aligned/parts.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "nn/init.h"

namespace factorgcn::aligned {
namespace {

at::Tensor norm_by(const BatchNormState& state, const at::Tensor& x, Moments moments) {
  BatchNormState used = state;
  if (moments == Moments::kBatch) {
    used.momentum = 0;
  }
  return batch_norm(x, used, moments != Moments::kEstimates, Activation::kRelu);
}

}  // namespace

LinearMap WeightMaker::linear(const std::string& name, std::int64_t in, std::int64_t out) {
  LinearMap map;
  map.weight = owner_.register_parameter(name + "_weight", uniform_tensor({out, in}, linear_bound(in), random_));
  map.bias = owner_.register_parameter(name + "_bias", uniform_tensor({out}, linear_bound(in), random_));
  return map;
}

BatchNormState WeightMaker::norm(const std::string& name, std::int64_t width) {
  const auto type = at::TensorOptions().dtype(at::kFloat);
  BatchNormState state;
  state.gamma = owner_.register_parameter(name + "_gamma", at::ones({width}, type));
  state.beta = owner_.register_parameter(name + "_beta", at::zeros({width}, type));
  state.running_mean = owner_.register_buffer(name + "_mean", at::zeros({width}, type));
  state.running_variance = owner_.register_buffer(name + "_variance", at::ones({width}, type));
  return state;
}

at::Tensor WeightMaker::rows(const std::string& name, std::int64_t count, std::int64_t width) {
  return owner_.register_parameter(name, uniform_tensor({count, width}, std::sqrt(3.0), random_));
}

Block make_block(WeightMaker& maker, const std::string& name, std::int64_t in, std::int64_t width) {
  Block block;
  block.first = maker.linear(name + "_first", in, width);
  block.first_norm = maker.norm(name + "_first_norm", width);
  block.second = maker.linear(name + "_second", width, width);
  block.second_norm = maker.norm(name + "_second_norm", width);
  return block;
}

at::Tensor finish_block(const Block& block, const at::Tensor& sum, Moments moments) {
  const at::Tensor middle = norm_by(block.first_norm, linear(block.first, sum), moments);
  return norm_by(block.second_norm, linear(block.second, middle), moments);
}

}  // namespace factorgcn::aligned
