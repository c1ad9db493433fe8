// One pass over values, gradients and both moments. The loop has no branches and no calls, so it vectorises; it is
// plain arithmetic without contraction (the project is compiled in ISO mode), so its bits do not depend on the vector
// width.
#include "factorgcn/optim/adam.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <utility>

#include "factorgcn/base/error.h"
#include "optim/adam_step.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kAlignBytes = 64;

/// x^n by squaring: a library's pow may differ in the last bit from machine to machine.
double power(double x, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1, x *= x) {
    if ((n & 1) != 0) {
      result *= x;
    }
  }
  return result;
}

template <class T>
struct Coefficients {
  T decay, beta1, rest1, beta2, rest2, eps, scale, root;
};

#if defined(__GNUC__) && !defined(__clang__)
// Without this std::sqrt may set errno, and the loop stays scalar.
__attribute__((optimize("O3", "no-math-errno")))
#endif
void update(std::int64_t count, float* __restrict value, const float* __restrict gradient, float* __restrict first,
            float* __restrict second, const Coefficients<float>& c) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] + c.decay * value[i];
    const float m = c.beta1 * first[i] + c.rest1 * g;
    const float v = c.beta2 * second[i] + c.rest2 * g * g;
    first[i] = m;
    second[i] = v;
    value[i] -= c.scale * (m / (std::sqrt(v) / c.root + c.eps));
  }
}

#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3", "no-math-errno")))
#endif
void update(std::int64_t count, double* __restrict value, const double* __restrict gradient, double* __restrict first,
            double* __restrict second, const Coefficients<double>& c) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double g = gradient[i] + c.decay * value[i];
    const double m = c.beta1 * first[i] + c.rest1 * g;
    const double v = c.beta2 * second[i] + c.rest2 * g * g;
    first[i] = m;
    second[i] = v;
    value[i] -= c.scale * (m / (std::sqrt(v) / c.root + c.eps));
  }
}

template <class T>
void update_all(const AdamOptions& options, std::int64_t steps, const at::Tensor& values, const at::Tensor& gradients,
                const at::Tensor& first, const at::Tensor& second) {
  const double correction1 = 1 - power(options.beta1, steps);
  const double correction2 = 1 - power(options.beta2, steps);
  const Coefficients<T> c{static_cast<T>(options.weight_decay),
                          static_cast<T>(options.beta1),
                          static_cast<T>(1 - options.beta1),
                          static_cast<T>(options.beta2),
                          static_cast<T>(1 - options.beta2),
                          static_cast<T>(options.eps),
                          static_cast<T>(options.learning_rate / correction1),
                          static_cast<T>(std::sqrt(correction2))};
  update(values.numel(), values.data_ptr<T>(), gradients.data_ptr<T>(), first.data_ptr<T>(), second.data_ptr<T>(), c);
}

}  // namespace

Adam::Adam(std::vector<at::Tensor> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  require(!parameters_.empty(), "Adam: there are no parameters to train");
  const at::TensorOptions type = parameters_.front().options().requires_grad(false);
  require(type.dtype() == at::kFloat || type.dtype() == at::kDouble, "Adam: parameters are ", type.dtype(),
          "; they must be float32 or float64");
  const std::int64_t align = kAlignBytes / static_cast<std::int64_t>(type.dtype().itemsize());
  std::int64_t total = 0;
  for (const at::Tensor& parameter : parameters_) {
    require(parameter.dtype() == type.dtype() && parameter.device() == type.device() && parameter.is_leaf(),
            "Adam: all parameters must be leaves on ", type.device(), " of one type, ", type.dtype(), "; one is ",
            parameter.dtype(), " on ", parameter.device());
    offsets_.push_back(total);
    counts_.push_back(parameter.numel());
    total += (parameter.numel() + align - 1) / align * align;
  }
  values_ = at::zeros({total}, type);
  gradients_ = at::zeros({total}, type);
  first_ = at::zeros({total}, type);
  second_ = at::zeros({total}, type);
  if (on_gpu()) {
    gpu_steps_ = at::zeros({}, type.dtype(at::kLong));
    gpu_rate_ = at::full({}, options.learning_rate, type.dtype(at::kDouble));
    gpu_ended_ = at::zeros({}, type.dtype(at::kInt));
  }
  const at::NoGradGuard no_grad;
  for (std::size_t index = 0; index < parameters_.size(); ++index) {
    at::Tensor& parameter = parameters_[index];
    at::Tensor place = view(values_, index);
    place.copy_(parameter);
    if (on_gpu()) {
      parameter.set_data(place);
      continue;
    }
    if (parameter.grad().defined()) {
      view(gradients_, index).copy_(parameter.grad());
    }
    parameter.set_data(place);
    // Autograd adds to a gradient that is there already, so it keeps writing into the flat buffer.
    parameter.mutable_grad() = view(gradients_, index);
  }
}

at::Tensor Adam::view(const at::Tensor& flat, std::size_t index) const {
  const at::Tensor& parameter = parameters_.at(index);
  return flat.narrow(0, offsets_[index], parameter.numel()).view(parameter.sizes());
}

void Adam::set_learning_rate(double rate) {
  options_.learning_rate = rate;
  if (on_gpu()) {
    gpu_rate_.fill_(rate);
  }
}

std::int64_t Adam::steps() const { return on_gpu() ? gpu_steps_.item<std::int64_t>() : steps_; }

void Adam::set_steps(std::int64_t steps) {
  steps_ = steps;
  if (on_gpu()) {
    gpu_steps_.fill_(steps);
  }
}

std::vector<at::Tensor> Adam::state() const {
  std::vector<at::Tensor> tensors{values_, first_, second_};
  if (on_gpu()) {
    tensors.push_back(gpu_steps_);
  }
  return tensors;
}

void Adam::zero_gradients() {
  if (!on_gpu()) {
    gradients_.zero_();
    return;
  }
  for (at::Tensor& parameter : parameters_) {
    parameter.mutable_grad() = at::Tensor();
  }
}

void Adam::limit_gradients(double most) {
  const at::NoGradGuard no_grad;
  // As torch::nn::utils::clip_grad_norm_ has it: a norm of 0 is no division by 0.
  constexpr double kLeast = 1e-6;
  if (!on_gpu()) {
    const double norm = gradients_.to(at::kDouble).norm().item<double>();
    if (norm > most) {
      gradients_.mul_(most / (norm + kLeast));
    }
    return;
  }
  // Side by side in new memory, so that it takes a few launches and not two for each parameter.
  std::vector<at::Tensor> pieces;
  for (const at::Tensor& parameter : parameters_) {
    if (parameter.grad().defined()) {
      pieces.push_back(parameter.grad().flatten());
    }
  }
  if (pieces.empty()) {
    return;
  }
  at::Tensor together = at::cat(pieces);
  together.mul_((most / (together.norm() + kLeast)).clamp_max(1));
  std::int64_t first = 0;
  for (at::Tensor& parameter : parameters_) {
    if (parameter.grad().defined()) {
      parameter.mutable_grad() = together.narrow(0, first, parameter.numel()).view(parameter.sizes());
      first += parameter.numel();
    }
  }
}

void Adam::step() {
  const at::NoGradGuard no_grad;
  if (on_gpu()) {
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : parameters_) {
      gradients.push_back(parameter.grad());
    }
    gpu_adam_step(options_, {values_, gradients_, first_, second_, gpu_steps_, gpu_rate_, gpu_ended_}, gradients,
                  offsets_, counts_);
    return;
  }
  ++steps_;
  if (values_.dtype() == at::kFloat) {
    update_all<float>(options_, steps_, values_, gradients_, first_, second_);
  } else {
    update_all<double>(options_, steps_, values_, gradients_, first_, second_);
  }
}

}  // namespace factorgcn
