// Elementwise activations on the CPU.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/row_ranges.h"
#include "ops/registration.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kValuesPerTask = 1 << 15;

at::Tensor activate_cpu(const at::Tensor& x_given, bool tanh, double slope) {
  const at::Tensor x = x_given.contiguous();
  at::Tensor y = at::empty(x.sizes(), x.options());
  with_floating(x, "activate", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    const T* from = x.data_ptr<T>();
    T* to = y.data_ptr<T>();
    parallel_rows(x.numel(), kValuesPerTask, [&](std::int64_t begin, std::int64_t end) {
      if (tanh) {
        kernel.tanh_values(from + begin, to + begin, end - begin);
      } else {
        kernel.leaky_values(from + begin, static_cast<T>(slope), to + begin, end - begin);
      }
    });
  });
  return y;
}

at::Tensor activate_backward_cpu(const at::Tensor& grad_given, const at::Tensor& y_given, bool tanh, double slope) {
  const at::Tensor y = y_given.contiguous(), grad_y = grad_given.contiguous();
  require(grad_y.sizes() == y.sizes(), "activate_backward: grad_y has shape ", grad_y.sizes(), ", expected ",
          y.sizes());
  at::Tensor grad_x = at::empty(y.sizes(), y.options());
  with_floating(y, "activate_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    const T* seen = y.data_ptr<T>();
    const T* upstream = grad_y.data_ptr<T>();
    T* to = grad_x.data_ptr<T>();
    parallel_rows(y.numel(), kValuesPerTask, [&](std::int64_t begin, std::int64_t end) {
      if (tanh) {
        kernel.tanh_backward(seen + begin, upstream + begin, to + begin, end - begin);
      } else {
        kernel.leaky_backward(seen + begin, static_cast<T>(slope), upstream + begin, to + begin, end - begin);
      }
    });
  });
  return grad_x;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("activate", activate_cpu);
  library.impl("activate_backward", activate_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
