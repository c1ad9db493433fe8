// dense on the GPU: checks and memory around the kernels.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/dense.h"
#include "ops/cuda/glue.h"
#include "ops/cuda/put_off_sums.h"
#include "ops/dense_checks.h"
#include "ops/dense_schema.h"

namespace factorgcn::cuda {
namespace {

at::Tensor dense_cuda(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                      const OptionalTensor& bias_scale, bool tanh) {
  const OnDeviceOf device(x);
  const DenseArguments inputs(kernel_ready(x), weight, bias, bias_scale);
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
  const DenseArguments inputs(kernel_ready(x), weight, bias, bias_scale);
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
  const std::vector<at::Tensor> read{upstream, tanh ? seen : at::Tensor(), inputs.x, inputs.bias_scale, partials};
  std::shared_ptr<PutOffSums> later;  // whoever calls this in a backward pass returns the gradients as they are
  if (wanted[1] && (wants_bias || !inputs.bias.defined())) {
    std::int64_t bytes = 0;
    for (const at::Tensor& tensor : read) {
      bytes += tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0;
    }
    later = PutOffSums::of({weight, value_or_undefined(bias)}, bytes);
  }
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
    if (later == nullptr) {
      p.grad_weight = place(grad_weight);
      p.grad_bias = place(grad_bias);
      p.partials = partials.data_ptr<T>();
      run_dense_backward(p, device.stream);
      return;
    }
    run_dense_backward(p, device.stream);  // what flows on
    p.partials = partials.data_ptr<T>();
    p.leaves_partials = true;
    PartialSums<T> set;
    set.partials = p.partials;
    set.blocks = weight_ranges(p.rows, in, out);
    set.shares = kWeightShares;
    set.stride = std::int64_t(out) * (in + 1);
    set.count = 1;
    set.maps[0].rows = out;
    set.maps[0].columns = in;
    set.maps[0].weight = place(grad_weight);
    set.maps[0].bias = place(grad_bias);
    later->form(p);
    later->add(set);
  });
  check_launch();
  if (later != nullptr) {
    later->keep(read);
    later->promise(weight, grad_weight);
    if (wants_bias) {
      later->promise(*bias, grad_bias);
    }
  }
  return {grad_x, grad_weight, grad_bias, grad_scale};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("dense", dense_cuda);
  library.impl("dense_backward", dense_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
