// dense_pool on the GPU: the dense kernels, with the mean over graphs taken behind them and undone on the way back.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "ops/cuda/dense.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"
#include "ops/dense_pool_checks.h"
#include "ops/registration.h"

namespace factorgcn::cuda {
namespace {

struct DensePoolInputs : DensePoolArguments {
  DensePoolInputs(const at::Tensor& x_given, const at::Tensor& weight_given, const at::Tensor& bias_given,
                  const at::Tensor& scale_given, const at::Tensor& offsets_given)
      : DensePoolArguments(kernel_ready(x_given), weight_given, bias_given, scale_given, offsets_given) {
    check_offsets("dense_pool", offsets, x);
  }
};

std::tuple<at::Tensor, at::Tensor> dense_pool_cuda(const at::Tensor& x, const at::Tensor& weight,
                                                   const at::Tensor& bias, const at::Tensor& bias_scale,
                                                   const at::Tensor& offsets) {
  const OnDeviceOf device(x);
  const DensePoolInputs inputs(x, weight, bias, bias_scale, offsets);
  const at::Tensor y = at::empty({x.size(0), inputs.factors(), inputs.out()}, x.options());
  const std::vector<std::int64_t> shape{inputs.graphs(), inputs.factors(), inputs.out()};
  if (x.size(0) == 0) {
    return {at::zeros(shape, x.options()), y};
  }
  const at::Tensor means = at::empty(shape, x.options());
  const at::Tensor scratch = at::empty({segment_scratch(inputs.graphs(), x.size(0), inputs.columns())}, x.options());
  with_floating(x, "dense_pool", [&](auto scalar) {
    using T = decltype(scalar);
    DenseForward<T> p;
    p.rows = inputs.rows();
    p.in = static_cast<int>(inputs.in());
    p.out = static_cast<int>(inputs.out());
    p.x = inputs.x.template data_ptr<T>();
    p.weight = inputs.weight.template data_ptr<T>();
    p.bias = inputs.bias.template data_ptr<T>();
    p.bias_scale = inputs.bias_scale.template data_ptr<T>();
    p.tanh = true;
    p.y = y.data_ptr<T>();
    run_dense(p, device.stream);
    reduce_segments<T>(p.y, offsets.data_ptr<std::int64_t>(), inputs.graphs(), x.size(0), inputs.columns(), true,
                       scratch.data_ptr<T>(), means.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {means, y};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> dense_pool_backward_cuda(
    const at::Tensor& grad_given, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight,
    const at::Tensor& bias, const at::Tensor& bias_scale, const at::Tensor& offsets) {
  const OnDeviceOf device(x);
  const DensePoolInputs inputs(x, weight, bias, bias_scale, offsets);
  const at::Tensor grad = kernel_ready(grad_given);
  require(grad.numel() == inputs.graphs() * inputs.columns(), "dense_pool_backward: grad has shape ", grad.sizes(),
          ", expected [", inputs.graphs(), ", ", inputs.factors(), ", ", inputs.out(), "]");
  const at::Tensor grad_x = at::empty(x.sizes(), x.options()), grad_scale = at::empty(bias_scale.sizes(), x.options());
  const at::Tensor grad_weight = at::empty(weight.sizes(), x.options()),
                   grad_bias = at::empty(bias.sizes(), x.options());
  const auto in = static_cast<int>(inputs.in()), out = static_cast<int>(inputs.out());
  const at::Tensor partials = at::empty({weight_partials(inputs.rows(), in, out)}, x.options());
  with_floating(x, "dense_pool_backward", [&](auto scalar) {
    using T = decltype(scalar);
    DenseBackward<T> p;
    p.rows = inputs.rows();
    p.in = in;
    p.out = out;
    p.grad_y = grad.data_ptr<T>();
    p.y = y.data_ptr<T>();
    p.x = inputs.x.template data_ptr<T>();
    p.weight = inputs.weight.template data_ptr<T>();
    p.bias = inputs.bias.template data_ptr<T>();
    p.bias_scale = inputs.bias_scale.template data_ptr<T>();
    p.graph_offsets = offsets.data_ptr<std::int64_t>();
    p.graphs = inputs.graphs();
    p.factors = static_cast<int>(inputs.factors());
    p.grad_x = grad_x.data_ptr<T>();
    p.grad_bias_scale = grad_scale.data_ptr<T>();
    p.grad_weight = grad_weight.data_ptr<T>();
    p.grad_bias = grad_bias.data_ptr<T>();
    p.partials = partials.data_ptr<T>();
    run_dense_backward(p, device.stream);
  });
  check_launch();
  return {grad_x, grad_weight, grad_bias, grad_scale};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("dense_pool", dense_pool_cuda);
  library.impl("dense_pool_backward", dense_pool_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
