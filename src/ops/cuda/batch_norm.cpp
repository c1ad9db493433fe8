// Batch normalisation on the GPU.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/batch_norm_checks.h"
#include "ops/batch_norm_schema.h"
#include "ops/cuda/batch_norm.h"
#include "ops/cuda/beside.h"
#include "ops/cuda/glue.h"

namespace factorgcn::cuda {
namespace {

at::Tensor new_partials(const at::Tensor& x) {
  return at::empty({batch_norm_partials(x.size(0), static_cast<int>(x.size(1)))}, x.options().dtype(at::kDouble));
}

void check_real_rows(const at::Tensor& real_rows, const at::Tensor& x) {
  if (real_rows.defined()) {
    require(real_rows.numel() == 1 && real_rows.scalar_type() == at::kLong,
            "batch_norm: real_rows must be one int64 number");
    check_same_device("batch_norm", "real_rows", real_rows, x);
  }
}

template <class T>
BatchNorm<T> problem_of(const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, const at::Tensor& mean,
                        const at::Tensor& variance, const at::Tensor& row_scale, const at::Tensor& real_rows,
                        const at::Tensor& partials, double eps, double slope, bool own_moments) {
  BatchNorm<T> p;
  p.rows = x.size(0);
  check_real_rows(real_rows, x);
  p.real_rows = values_or_null<std::int64_t>(real_rows);
  p.columns = static_cast<int>(x.size(1));
  p.x = x.data_ptr<T>();
  p.row_scale = values_or_null<T>(row_scale);
  p.gamma = gamma.data_ptr<T>();
  p.beta = beta.data_ptr<T>();
  p.mean = mean.data_ptr<T>();
  p.variance = variance.data_ptr<T>();
  p.own_moments = own_moments;
  p.eps = static_cast<T>(eps);
  p.slope = static_cast<T>(slope);
  p.partials = partials.data_ptr<double>();
  return p;
}

/// `running_mean`, `running_variance`: undefined where they stay.
std::tuple<at::Tensor, at::Tensor, at::Tensor> normalise(
    const at::Tensor& x_given, const at::Tensor& gamma, const at::Tensor& beta, const OptionalTensor& mean_given,
    const OptionalTensor& variance_given, const OptionalTensor& row_scale_given, const at::Tensor& real_rows,
    double eps, double slope, const at::Tensor& running_mean, const at::Tensor& running_variance, double momentum) {
  const OnDeviceOf device(x_given);
  const at::Tensor x = x_given.contiguous(), row_scale = check_norm_rows(x, row_scale_given);
  check_norm_columns("gamma", gamma, x);
  check_norm_columns("beta", beta, x);
  at::Tensor mean = value_or_undefined(mean_given), variance = value_or_undefined(variance_given);
  const bool own_moments = !mean.defined();
  if (own_moments) {
    mean = at::empty({x.size(1)}, x.options());
    variance = at::empty({x.size(1)}, x.options());
  }
  check_norm_columns("mean", mean, x);
  check_norm_columns("variance", variance, x);
  const at::Tensor y = at::empty(x.sizes(), x.options()), partials = new_partials(x);
  with_floating(x, "batch_norm", [&](auto scalar) {
    using T = decltype(scalar);
    auto p = problem_of<T>(x, gamma, beta, mean, variance, row_scale, real_rows, partials, eps, slope, own_moments);
    p.y = y.data_ptr<T>();
    if (running_mean.defined()) {
      check_norm_columns("running_mean", running_mean, x);
      check_norm_columns("running_variance", running_variance, x);
      p.running_mean = running_mean.data_ptr<T>();
      p.running_variance = running_variance.data_ptr<T>();
      p.momentum = static_cast<T>(momentum);
    }
    run_batch_norm(p, device.stream);
  });
  check_launch();
  // The discriminator of the layer before; begun sooner, it would have kept this waiting.
  BesideStreams::on(x.device().index()).start();
  return {y, mean, variance};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> padded_batch_norm_cuda(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, const OptionalTensor& mean,
    const OptionalTensor& variance, const OptionalTensor& row_scale, const at::Tensor& real_rows, double eps,
    double slope) {
  return normalise(x, gamma, beta, mean, variance, row_scale, real_rows, eps, slope, {}, {}, 0);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> training_batch_norm_cuda(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, at::Tensor& running_mean,
    at::Tensor& running_variance, const OptionalTensor& row_scale, const OptionalTensor& real_rows, double momentum,
    double eps, double slope) {
  return normalise(x, gamma, beta, {}, {}, row_scale, value_or_undefined(real_rows), eps, slope, running_mean,
                   running_variance, momentum);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm_cuda(const at::Tensor& x, const at::Tensor& gamma,
                                                               const at::Tensor& beta, const OptionalTensor& mean,
                                                               const OptionalTensor& variance,
                                                               const OptionalTensor& row_scale, double eps,
                                                               double slope) {
  return padded_batch_norm_cuda(x, gamma, beta, mean, variance, row_scale, {}, eps, slope);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> padded_batch_norm_backward_cuda(
    const at::Tensor& grad_given, const at::Tensor& x_given, const at::Tensor& gamma, const at::Tensor& beta,
    const at::Tensor& mean, const at::Tensor& variance, const OptionalTensor& row_scale_given,
    const at::Tensor& real_rows, double eps, double slope, bool own_moments) {
  const OnDeviceOf device(x_given);
  const at::Tensor x = x_given.contiguous(), grad_y = grad_given.contiguous();
  const at::Tensor row_scale = check_norm_rows(x, row_scale_given);
  require(grad_y.sizes() == x.sizes(), "batch_norm_backward: grad_y has shape ", grad_y.sizes(), ", expected ",
          x.sizes());
  const at::Tensor grad_x = at::empty(x.sizes(), x.options()), partials = new_partials(x);
  const at::Tensor grad_gamma = at::empty(gamma.sizes(), x.options()),
                   grad_beta = at::empty(gamma.sizes(), x.options());
  with_floating(x, "batch_norm_backward", [&](auto scalar) {
    using T = decltype(scalar);
    auto p = problem_of<T>(x, gamma, beta, mean, variance, row_scale, real_rows, partials, eps, slope, own_moments);
    p.grad_y = grad_y.data_ptr<T>();
    p.grad_x = grad_x.data_ptr<T>();
    p.grad_gamma = grad_gamma.data_ptr<T>();
    p.grad_beta = grad_beta.data_ptr<T>();
    run_batch_norm_backward(p, device.stream);
  });
  check_launch();
  return {grad_x, grad_gamma, grad_beta};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm_backward_cuda(const at::Tensor& grad_y, const at::Tensor& x,
                                                                        const at::Tensor& gamma, const at::Tensor& beta,
                                                                        const at::Tensor& mean,
                                                                        const at::Tensor& variance,
                                                                        const OptionalTensor& row_scale, double eps,
                                                                        double slope, bool own_moments) {
  return padded_batch_norm_backward_cuda(grad_y, x, gamma, beta, mean, variance, row_scale, {}, eps, slope,
                                         own_moments);
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("batch_norm", batch_norm_cuda);
  library.impl("batch_norm_backward", batch_norm_backward_cuda);
  library.impl("padded_batch_norm", padded_batch_norm_cuda);
  library.impl("padded_batch_norm_backward", padded_batch_norm_backward_cuda);
  library.impl("training_batch_norm", training_batch_norm_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
