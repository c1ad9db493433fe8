// dense_pool on the CPU: the dense kernels, run graph piece by graph piece.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/graph_pieces.h"
#include "ops/cpu/large_tables.h"
#include "ops/cpu/row_ranges.h"
#include "ops/dense_pool_checks.h"
#include "ops/registration.h"

namespace factorgcn::cpu {
namespace {

struct DensePoolInputs : DensePoolArguments {
  std::vector<GraphPiece> pieces;

  DensePoolInputs(const at::Tensor& x_given, const at::Tensor& weight_given, const at::Tensor& bias_given,
                  const at::Tensor& scale_given, const at::Tensor& offsets_given)
      : DensePoolArguments(x_given.contiguous(), weight_given, bias_given, scale_given, offsets_given) {
    check_graph_offsets("dense_pool", offsets, x.size(0));
    pieces = graph_pieces(offsets);
  }

  std::int64_t num_pieces() const { return static_cast<std::int64_t>(pieces.size()); }
  std::int64_t pieces_per_task() const {
    const std::int64_t work = std::max<std::int64_t>(x.numel() * out() / std::max<std::int64_t>(num_pieces(), 1), 1);
    return std::max<std::int64_t>(kTaskWork / work, 1);
  }
  std::int64_t nodes_of(const GraphPiece& piece) const {
    const std::int64_t* at = offsets.data_ptr<std::int64_t>();
    return at[piece.graph + 1] - at[piece.graph];
  }

  template <class T>
  DenseProblem<T> problem() const {
    DenseProblem<T> p;
    p.in = in();
    p.out = out();
    p.tanh = true;
    p.x = x.data_ptr<T>();
    p.bias = bias.data_ptr<T>();
    p.bias_scale = bias_scale.data_ptr<T>();
    return p;
  }
};

std::tuple<at::Tensor, at::Tensor> dense_pool_cpu(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                                  const at::Tensor& bias_scale, const at::Tensor& offsets) {
  const DensePoolInputs inputs(x, weight, bias, bias_scale, offsets);
  at::Tensor y = large_table({x.size(0), inputs.factors(), inputs.out()}, x.options());
  at::Tensor means = at::zeros({inputs.graphs(), inputs.factors(), inputs.out()}, x.options());
  with_floating(x, "dense_pool", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    std::vector<T> panels(static_cast<std::size_t>(kernel.panels_size(inputs.in(), inputs.out())));
    kernel.pack_panels(inputs.weight.template data_ptr<T>(), 1, inputs.in(), inputs.in(), inputs.out(), panels.data());
    auto problem = inputs.template problem<T>();
    problem.forward_panels = panels.data();
    problem.y = y.data_ptr<T>();
    const std::int64_t columns = inputs.columns();
    std::vector<T> sums(static_cast<std::size_t>(inputs.num_pieces() * columns));
    parallel_rows(inputs.num_pieces(), inputs.pieces_per_task(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        const GraphPiece& piece = inputs.pieces[p];
        kernel.dense_rows(problem, piece.begin * inputs.factors(), piece.end * inputs.factors());
        kernel.add_rows(problem.y + piece.begin * columns, piece.end - piece.begin, columns, sums.data() + p * columns);
      }
    });
    T* result = means.data_ptr<T>();
    for (std::int64_t p = 0; p < inputs.num_pieces(); ++p) {
      const GraphPiece& piece = inputs.pieces[p];
      const T share = T(1) / static_cast<T>(inputs.nodes_of(piece));
      for (std::int64_t c = 0; c < columns; ++c) {
        result[piece.graph * columns + c] += sums[p * columns + c] * share;
      }
    }
  });
  return {means, y};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> dense_pool_backward_cpu(
    const at::Tensor& grad_given, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight,
    const at::Tensor& bias, const at::Tensor& bias_scale, const at::Tensor& offsets) {
  const DensePoolInputs inputs(x, weight, bias, bias_scale, offsets);
  const at::Tensor grad = grad_given.contiguous();
  require(grad.numel() == inputs.graphs() * inputs.columns(), "dense_pool_backward: grad has shape ", grad.sizes(),
          ", expected [", inputs.graphs(), ", ", inputs.factors(), ", ", inputs.out(), "]");
  at::Tensor grad_x = large_table(x.sizes(), x.options());
  at::Tensor grad_weight = at::zeros(weight.sizes(), x.options()), grad_bias = at::zeros(bias.sizes(), x.options());
  at::Tensor grad_scale = large_table(bias_scale.sizes(), x.options());
  with_floating(x, "dense_pool_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    std::vector<T> panels(static_cast<std::size_t>(kernel.panels_size(inputs.out(), inputs.in())));
    kernel.pack_panels(inputs.weight.template data_ptr<T>(), inputs.in(), 1, inputs.out(), inputs.in(), panels.data());
    auto problem = inputs.template problem<T>();
    problem.backward_panels = panels.data();
    problem.y_seen = y.data_ptr<T>();
    problem.grad_x = grad_x.data_ptr<T>();
    problem.grad_bias_scale = grad_scale.data_ptr<T>();
    problem.pool_period = inputs.factors();

    // Blocks of pieces depend on the graphs alone, and their sums are added in order.
    const std::int64_t block_pieces =
        std::max(inputs.pieces_per_task(), (inputs.num_pieces() + kWeightBlocks - 1) / kWeightBlocks);
    const std::int64_t blocks = (inputs.num_pieces() + block_pieces - 1) / block_pieces;
    const std::int64_t weight_size = inputs.out() * kernel.partial_stride(inputs.in());
    std::vector<T> weight_partials(static_cast<std::size_t>(blocks * weight_size));
    std::vector<T> bias_partials(static_cast<std::size_t>(blocks * inputs.out()));
    parallel_rows(inputs.num_pieces(), block_pieces, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t block = begin / block_pieces;
      std::vector<T> scratch(static_cast<std::size_t>(kDenseTileRows * inputs.out()));
      auto own = problem;
      for (std::int64_t p = begin; p < end; ++p) {
        const GraphPiece& piece = inputs.pieces[p];
        own.grad_y = grad.data_ptr<T>() + piece.graph * inputs.columns();
        own.pool_scale = T(1) / static_cast<T>(inputs.nodes_of(piece));
        kernel.dense_backward_rows(own, piece.begin * inputs.factors(), piece.end * inputs.factors(),
                                   weight_partials.data() + block * weight_size,
                                   bias_partials.data() + block * inputs.out(), scratch.data());
      }
    });
    for (std::int64_t block = 0; block < blocks; ++block) {
      kernel.unpack_partial(weight_partials.data() + block * weight_size, inputs.out(), inputs.in(),
                            grad_weight.data_ptr<T>());
      kernel.add_rows(bias_partials.data() + block * inputs.out(), 1, inputs.out(), grad_bias.data_ptr<T>());
    }
  });
  return {grad_x, grad_weight, grad_bias, grad_scale};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("dense_pool", dense_pool_cpu);
  library.impl("dense_pool_backward", dense_pool_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
