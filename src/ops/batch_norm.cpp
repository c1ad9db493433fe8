// Batch normalisation: schemas, gradient and the C++ function with its running estimates. The arithmetic is in
// ops/cpu/batch_norm.cpp and ops/cuda/batch_norm.cpp.
#include "factorgcn/ops/batch_norm.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/batch_norm_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "batch_norm(Tensor x, Tensor gamma, Tensor beta, Tensor? mean, Tensor? variance, Tensor? row_scale, float eps, "
      "float slope) -> (Tensor, Tensor, Tensor)");
  library.def(
      "batch_norm_backward(Tensor grad_y, Tensor x, Tensor gamma, Tensor beta, Tensor mean, Tensor variance, "
      "Tensor? row_scale, float eps, float slope, bool own_moments) -> (Tensor, Tensor, Tensor)");
  library.def(
      "update_running_moments(Tensor(a!) running_mean, Tensor(b!) running_variance, Tensor mean, Tensor variance, "
      "float momentum, float unbiased) -> ()");
  library.def(
      "padded_batch_norm(Tensor x, Tensor gamma, Tensor beta, Tensor? mean, Tensor? variance, Tensor? row_scale, "
      "Tensor real_rows, float eps, float slope) -> (Tensor, Tensor, Tensor)");
  library.def(
      "padded_batch_norm_backward(Tensor grad_y, Tensor x, Tensor gamma, Tensor beta, Tensor mean, Tensor variance, "
      "Tensor? row_scale, Tensor real_rows, float eps, float slope, bool own_moments) -> (Tensor, Tensor, Tensor)");
  library.def(
      "training_batch_norm(Tensor x, Tensor gamma, Tensor beta, Tensor(a!) running_mean, Tensor(b!) running_variance, "
      "Tensor? row_scale, Tensor? real_rows, float momentum, float eps, float slope) -> (Tensor, Tensor, Tensor)");
}

/// Running estimates that the operation itself moves.
struct Running {
  at::Tensor mean, variance;
  double momentum = 0;
};

struct BatchNormFunction : torch::autograd::Function<BatchNormFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& gamma,
                               const at::Tensor& beta, const OptionalTensor& mean_given,
                               const OptionalTensor& variance_given, const OptionalTensor& row_scale,
                               const OptionalTensor& real_rows, double eps, double slope, Running running) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto plain = find_operation<BatchNormSignature>("factorgcn::batch_norm");
    static const auto padded = find_operation<PaddedBatchNormSignature>("factorgcn::padded_batch_norm");
    static const auto training = find_operation<TrainingBatchNormSignature>("factorgcn::training_batch_norm");
    auto [y, mean, variance] =
        running.mean.defined() ? training.call(x, gamma, beta, running.mean, running.variance, row_scale, real_rows,
                                               running.momentum, eps, slope)
        : real_rows.has_value()
            ? padded.call(x, gamma, beta, mean_given, variance_given, row_scale, *real_rows, eps, slope)
            : plain.call(x, gamma, beta, mean_given, variance_given, row_scale, eps, slope);
    context->save_for_backward(
        {x, gamma, beta, mean, variance, value_or_undefined(row_scale), value_or_undefined(real_rows)});
    context->saved_data["eps"] = eps;
    context->saved_data["slope"] = slope;
    context->saved_data["own_moments"] = !mean_given.has_value();
    context->mark_non_differentiable({mean, variance});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {y, mean, variance};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("batch_norm");
    static const auto plain = find_operation<BatchNormBackwardSignature>("factorgcn::batch_norm_backward");
    static const auto padded =
        find_operation<PaddedBatchNormBackwardSignature>("factorgcn::padded_batch_norm_backward");
    const variable_list saved = context->get_saved_variables();
    const double eps = context->saved_data["eps"].toDouble(), slope = context->saved_data["slope"].toDouble();
    const bool own_moments = context->saved_data["own_moments"].toBool();
    auto [grad_x, grad_gamma, grad_beta] = saved[6].defined()
                                               ? padded.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4],
                                                             optional(saved[5]), saved[6], eps, slope, own_moments)
                                               : plain.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4],
                                                            optional(saved[5]), eps, slope, own_moments);
    return {grad_x, grad_gamma, grad_beta, {}, {}, {}, {}, {}, {}, {}};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm_autograd(const at::Tensor& x, const at::Tensor& gamma,
                                                                   const at::Tensor& beta, const OptionalTensor& mean,
                                                                   const OptionalTensor& variance,
                                                                   const OptionalTensor& row_scale, double eps,
                                                                   double slope) {
  auto results =
      BatchNormFunction::apply(x, gamma, beta, mean, variance, row_scale, OptionalTensor(), eps, slope, Running{});
  return {results[0], results[1], results[2]};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> padded_batch_norm_autograd(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, const OptionalTensor& mean,
    const OptionalTensor& variance, const OptionalTensor& row_scale, const at::Tensor& real_rows, double eps,
    double slope) {
  auto results = BatchNormFunction::apply(x, gamma, beta, mean, variance, row_scale, OptionalTensor(real_rows), eps,
                                          slope, Running{});
  return {results[0], results[1], results[2]};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("batch_norm", batch_norm_autograd);
  library.impl("padded_batch_norm", padded_batch_norm_autograd);
}

/// On the CPU the number of real rows is there to be read: the rest is cut off, and zeros take its place.
at::Tensor batch_norm_of_some(const at::Tensor& x, const BatchNormState& state, bool training, Activation activation,
                              double slope, const at::Tensor& row_scale, std::int64_t rows) {
  const at::Tensor scale = row_scale.defined() ? row_scale.narrow(0, 0, rows) : row_scale;
  const at::Tensor y = batch_norm(x.narrow(0, 0, rows), state, training, activation, slope, scale);
  return at::cat({y, at::zeros({x.size(0) - rows, x.size(1)}, x.options())});
}

/// On the GPU while training: the running estimates move along, without a launch of their own.
at::Tensor training_batch_norm(const at::Tensor& x, const BatchNormState& state, double slope,
                               const at::Tensor& row_scale, const at::Tensor& real_rows) {
  return BatchNormFunction::apply(x, state.gamma, state.beta, OptionalTensor(), OptionalTensor(), optional(row_scale),
                                  optional(real_rows), state.eps, slope,
                                  Running{state.running_mean, state.running_variance, state.momentum})[0];
}

}  // namespace

at::Tensor batch_norm(const at::Tensor& x, const BatchNormState& state, bool training, Activation activation,
                      double slope, const at::Tensor& row_scale, const at::Tensor& real_rows) {
  require(is_leaky(activation), "batch_norm: activation ", activation_name(activation),
          " is not supported; use none, relu or leaky_relu");
  const double negative_slope = slope_below_zero(activation, slope);
  if (real_rows.defined() && x.device().is_cpu()) {
    return batch_norm_of_some(x, state, training, activation, slope, row_scale, real_rows.item<std::int64_t>());
  }
  if (real_rows.defined() && !training) {
    static const auto padded = find_operation<PaddedBatchNormSignature>("factorgcn::padded_batch_norm");
    return std::get<0>(padded.call(x, state.gamma, state.beta, optional(state.running_mean),
                                   optional(state.running_variance), optional(row_scale), real_rows, state.eps,
                                   negative_slope));
  }
  static const auto operation = find_operation<BatchNormSignature>("factorgcn::batch_norm");
  if (!training) {
    return std::get<0>(operation.call(x, state.gamma, state.beta, optional(state.running_mean),
                                      optional(state.running_variance), optional(row_scale), state.eps,
                                      negative_slope));
  }
  const std::int64_t rows = x.size(0);
  require(rows > 1, "batch_norm: training needs at least 2 rows to estimate a variance, got ", rows);
  if (x.is_cuda()) {
    return training_batch_norm(x, state, negative_slope, row_scale, real_rows);
  }
  auto [y, mean, variance] = operation.call(x, state.gamma, state.beta, OptionalTensor(), OptionalTensor(),
                                            optional(row_scale), state.eps, negative_slope);
  update_running_moments(state, mean, variance, rows);
  return y;
}

void update_running_moments(const BatchNormState& state, const at::Tensor& mean, const at::Tensor& variance,
                            std::int64_t rows) {
  require(mean.device().is_cpu(), "update_running_moments: the moments are on ", mean.device(),
          "; on a GPU batch_norm() moves the running estimates itself");
  at::NoGradGuard no_gradient;
  const double unbiased = static_cast<double>(rows) / static_cast<double>(rows - 1);
  static const auto update = find_operation<UpdateRunningMomentsSignature>("factorgcn::update_running_moments");
  at::Tensor running_mean = state.running_mean, running_variance = state.running_variance;
  update.call(running_mean, running_variance, mean, variance, state.momentum, unbiased);
}

}  // namespace factorgcn
