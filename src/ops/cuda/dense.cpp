// dense on the GPU: checks and memory around the kernels.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/dense.h"
#include "ops/cuda/glue.h"
#include "ops/dense_schema.h"

namespace factorgcn::cuda {
namespace {

struct Inputs {
  at::Tensor x, weight, bias, bias_scale;
  std::vector<std::int64_t> result_shape;

  Inputs(const at::Tensor& x_given, const at::Tensor& weight_given, const OptionalTensor& bias_given,
         const OptionalTensor& scale_given)
      : x(kernel_ready(x_given)),
        weight(weight_given.contiguous()),
        bias(value_or_undefined(bias_given)),
        bias_scale(value_or_undefined(scale_given)) {
    require(weight.dim() == 2 && weight.size(0) >= 1 && weight.size(1) >= 1, "dense: weight has shape ", weight.sizes(),
            ", expected [out, in] with both at least 1");
    require(x.dim() >= 1 && x.size(-1) == in(), "dense: x has shape ", x.sizes(), ", expected ", in(),
            " columns to fit weight ", weight.sizes());
    result_shape = x.sizes().vec();
    result_shape.back() = out();
    check("weight", weight);
    if (bias.defined()) {
      require(bias.dim() == 1 && bias.numel() == out(), "dense: bias has shape ", bias.sizes(), ", expected [", out(),
              "]");
      check("bias", bias);
      bias = bias.contiguous();
    }
    if (bias_scale.defined()) {
      require(bias.defined(), "dense: bias_scale was given without bias");
      require(bias_scale.numel() == rows(), "dense: bias_scale has ", bias_scale.numel(),
              " entries, expected one per row: ", rows());
      check("bias_scale", bias_scale);
      bias_scale = bias_scale.contiguous();
    }
  }

  std::int64_t rows() const { return x.numel() / in(); }
  std::int64_t in() const { return weight.size(1); }
  std::int64_t out() const { return weight.size(0); }

 private:
  void check(const char* name, const at::Tensor& tensor) const {
    require(tensor.scalar_type() == x.scalar_type(), "dense: ", name, " has type ", tensor.scalar_type(), ", expected ",
            x.scalar_type());
    check_same_device("dense", name, tensor, x);
  }
};

at::Tensor dense_cuda(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                      const OptionalTensor& bias_scale, bool tanh) {
  const OnDeviceOf device(x);
  const Inputs inputs(x, weight, bias, bias_scale);
  const at::Tensor y = at::empty(inputs.result_shape, x.options());
  with_floating(x, "dense", [&](auto scalar) {
    using T = decltype(scalar);
    DenseForward<T> p;
    p.rows = inputs.rows();
    p.in = static_cast<int>(inputs.in());
    p.out = static_cast<int>(inputs.out());
    p.x = inputs.x.template data_ptr<T>();
    p.weight = inputs.weight.template data_ptr<T>();
    p.bias = values_or_null<T>(inputs.bias);
    p.bias_scale = values_or_null<T>(inputs.bias_scale);
    p.tanh = tanh;
    p.y = y.data_ptr<T>();
    run_dense(p, device.stream);
  });
  check_launch();
  return y;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> dense_backward_cuda(
    const at::Tensor& grad_y, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight,
    const OptionalTensor& bias, const OptionalTensor& bias_scale, bool tanh, std::array<bool, 4> wanted) {
  const OnDeviceOf device(x);
  const Inputs inputs(x, weight, bias, bias_scale);
  const at::Tensor upstream = kernel_ready(grad_y), seen = kernel_ready(y);
  require(upstream.numel() == inputs.rows() * inputs.out() && seen.numel() == upstream.numel(),
          "dense_backward: grad_y has shape ", grad_y.sizes(), ", expected ", inputs.result_shape);
  const bool wants_bias = wanted[2] && inputs.bias.defined(), wants_scale = wanted[3] && inputs.bias_scale.defined();
  const at::Tensor grad_x = wanted[0] ? at::empty(x.sizes(), x.options()) : at::Tensor();
  const at::Tensor grad_weight = wanted[1] ? at::empty(weight.sizes(), x.options()) : at::Tensor();
  const at::Tensor grad_bias = wants_bias ? at::empty({inputs.out()}, x.options()) : at::Tensor();
  const at::Tensor grad_scale = wants_scale ? at::empty(inputs.bias_scale.sizes(), x.options()) : at::Tensor();
  const auto in = static_cast<int>(inputs.in()), out = static_cast<int>(inputs.out());
  const bool wants_sums = wanted[1] || wants_bias;
  const at::Tensor partials = at::empty({wants_sums ? weight_partials(inputs.rows(), in, out) : 0}, x.options());
  with_floating(x, "dense_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const auto place = [](const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr<T>() : nullptr; };
    DenseBackward<T> p;
    p.rows = inputs.rows();
    p.in = in;
    p.out = out;
    p.grad_y = upstream.data_ptr<T>();
    p.y = tanh ? seen.data_ptr<T>() : nullptr;
    p.x = inputs.x.template data_ptr<T>();
    p.weight = inputs.weight.template data_ptr<T>();
    p.bias = values_or_null<T>(inputs.bias);
    p.bias_scale = values_or_null<T>(inputs.bias_scale);
    p.grad_x = place(grad_x);
    p.grad_bias_scale = place(grad_scale);
    p.grad_weight = place(grad_weight);
    p.grad_bias = place(grad_bias);
    p.partials = partials.data_ptr<T>();
    run_dense_backward(p, device.stream);
  });
  check_launch();
  return {grad_x, grad_weight, grad_bias, grad_scale};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("dense", dense_cuda);
  library.impl("dense_backward", dense_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
