// dense on the CPU: checks, packing, threads, and the ordered sum of weight gradients.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/large_tables.h"
#include "ops/cpu/row_ranges.h"
#include "ops/dense_checks.h"
#include "ops/dense_schema.h"

namespace factorgcn::cpu {
namespace {

struct DenseInputs : DenseArguments {
  using DenseArguments::DenseArguments;

  std::int64_t rows_per_task() const {
    const std::int64_t rows = kTaskWork / (in() * out()) / kDenseTileRows * kDenseTileRows;
    return std::max(rows, kDenseTileRows);
  }

  template <class T>
  DenseProblem<T> problem() const {
    DenseProblem<T> p;
    p.in = in();
    p.out = out();
    p.x = x.data_ptr<T>();
    p.bias = values_or_null<T>(bias);
    p.bias_scale = values_or_null<T>(bias_scale);
    return p;
  }
};

at::Tensor dense_cpu(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                     const OptionalTensor& bias_scale, bool tanh) {
  const DenseInputs inputs(x.contiguous(), weight, bias, bias_scale);
  at::Tensor y = large_table(inputs.result_shape, x.options());
  with_floating(x, "dense", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    std::vector<T> panels(static_cast<std::size_t>(kernel.panels_size(inputs.in(), inputs.out())));
    kernel.pack_panels(inputs.weight.template data_ptr<T>(), 1, inputs.in(), inputs.in(), inputs.out(), panels.data());
    auto problem = inputs.template problem<T>();
    problem.tanh = tanh;
    problem.forward_panels = panels.data();
    problem.y = y.data_ptr<T>();
    parallel_rows(inputs.rows(), inputs.rows_per_task(),
                  [&](std::int64_t begin, std::int64_t end) { kernel.dense_rows(problem, begin, end); });
  });
  return y;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> dense_backward_cpu(
    const at::Tensor& grad_y, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight,
    const OptionalTensor& bias, const OptionalTensor& bias_scale, bool tanh, std::array<bool, 4> wanted) {
  const DenseInputs inputs(x.contiguous(), weight, bias, bias_scale);
  const at::Tensor upstream = grad_y.contiguous();
  const at::Tensor seen = y.contiguous();
  require(upstream.numel() == inputs.rows() * inputs.out() && seen.numel() == upstream.numel(),
          "dense_backward: grad_y has shape ", grad_y.sizes(), ", expected ", inputs.result_shape);
  const bool wants_bias = wanted[2] && inputs.bias.defined(), wants_scale = wanted[3] && inputs.bias_scale.defined();
  at::Tensor grad_x = wanted[0] ? large_table(x.sizes(), x.options()) : at::Tensor();
  at::Tensor grad_weight = wanted[1] ? at::zeros(weight.sizes(), x.options()) : at::Tensor();
  at::Tensor grad_bias = wants_bias ? at::zeros({inputs.out()}, x.options()) : at::Tensor();
  at::Tensor grad_scale = wants_scale ? large_table(inputs.bias_scale.sizes(), x.options()) : at::Tensor();
  with_floating(x, "dense_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    auto problem = inputs.template problem<T>();
    problem.tanh = tanh;
    problem.y_seen = seen.data_ptr<T>();
    problem.grad_y = upstream.data_ptr<T>();
    std::vector<T> panels;
    if (wanted[0]) {
      panels.resize(static_cast<std::size_t>(kernel.panels_size(inputs.out(), inputs.in())));
      kernel.pack_panels(inputs.weight.template data_ptr<T>(), inputs.in(), 1, inputs.out(), inputs.in(),
                         panels.data());
      problem.backward_panels = panels.data();
      problem.grad_x = grad_x.data_ptr<T>();
    }
    problem.grad_bias_scale = wants_scale ? grad_scale.data_ptr<T>() : nullptr;

    // Blocks depend on the number of rows alone, and their sums are added in order.
    std::int64_t block_rows = std::max(inputs.rows_per_task(), (inputs.rows() + kWeightBlocks - 1) / kWeightBlocks);
    block_rows = (block_rows + kDenseTileRows - 1) / kDenseTileRows * kDenseTileRows;
    const std::int64_t blocks = (inputs.rows() + block_rows - 1) / block_rows;
    const std::int64_t weight_size = wanted[1] ? inputs.out() * kernel.partial_stride(inputs.in()) : 0;
    const std::int64_t bias_size = wants_bias ? inputs.out() : 0;
    std::vector<T> weight_partials(static_cast<std::size_t>(blocks * weight_size));
    std::vector<T> bias_partials(static_cast<std::size_t>(blocks * bias_size));
    parallel_rows(inputs.rows(), block_rows, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t block = begin / block_rows;
      std::vector<T> scratch(tanh ? static_cast<std::size_t>(kDenseTileRows * inputs.out()) : 0);
      kernel.dense_backward_rows(problem, begin, end,
                                 weight_size > 0 ? weight_partials.data() + block * weight_size : nullptr,
                                 bias_size > 0 ? bias_partials.data() + block * bias_size : nullptr, scratch.data());
    });
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (weight_size > 0) {
        kernel.unpack_partial(weight_partials.data() + block * weight_size, inputs.out(), inputs.in(),
                              grad_weight.data_ptr<T>());
      }
      if (bias_size > 0) {
        kernel.add_rows(bias_partials.data() + block * bias_size, 1, bias_size, grad_bias.data_ptr<T>());
      }
    }
  });
  return {grad_x, grad_weight, grad_bias, grad_scale};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("dense", dense_cpu);
  library.impl("dense_backward", dense_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
