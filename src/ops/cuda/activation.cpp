// Elementwise activations on the GPU.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"
#include "ops/registration.h"

namespace factorgcn::cuda {
namespace {

at::Tensor activate_cuda(const at::Tensor& x_given, bool tanh, double slope) {
  const OnDeviceOf device(x_given);
  const at::Tensor x = x_given.contiguous();
  at::Tensor y = at::empty(x.sizes(), x.options());
  with_floating(x, "activate", [&](auto scalar) {
    using T = decltype(scalar);
    activate_values<T>(x.data_ptr<T>(), tanh, static_cast<T>(slope), x.numel(), y.data_ptr<T>(), device.stream);
  });
  check_launch();
  return y;
}

at::Tensor activate_backward_cuda(const at::Tensor& grad_given, const at::Tensor& y_given, bool tanh, double slope) {
  const OnDeviceOf device(y_given);
  const at::Tensor y = y_given.contiguous(), grad_y = grad_given.contiguous();
  require(grad_y.sizes() == y.sizes(), "activate_backward: grad_y has shape ", grad_y.sizes(), ", expected ",
          y.sizes());
  at::Tensor grad_x = at::empty(y.sizes(), y.options());
  with_floating(y, "activate_backward", [&](auto scalar) {
    using T = decltype(scalar);
    activate_backward<T>(grad_y.data_ptr<T>(), y.data_ptr<T>(), tanh, static_cast<T>(slope), y.numel(),
                         grad_x.data_ptr<T>(), device.stream);
  });
  check_launch();
  return grad_x;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("activate", activate_cuda);
  library.impl("activate_backward", activate_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
