// gated_aggregate on the GPU: checks and memory around the kernels.
#include "ops/cuda/gated_aggregate.h"

#include <torch/library.h>

#include "ops/cuda/edge_inputs.h"
#include "ops/cuda/weighted_aggregate.h"
#include "ops/gated_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

struct GatedInputs {
  const char* operation;
  at::Tensor x, left, right, edge_types;
  Adjacency edges;

  GatedInputs(const char* name, const at::Tensor& x_given, const at::Tensor& left_given, const at::Tensor& right_given,
              const OptionalTensor& types_given, Adjacency edges_given)
      : operation(name),
        x(x_given),
        left(left_given),
        right(right_given),
        edge_types(value_or_undefined(types_given)),
        edges(std::move(edges_given)) {
    require(x.defined() && x.dim() == 2 && x.size(1) >= 1, operation,
            ": x must have shape [nodes, columns] with at least 1 column");
    require(left.defined() && left.dim() == 3 && left.size(1) >= 1, operation,
            ": left must have shape [nodes, types, columns] with at least 1 type");
    const std::vector<std::int64_t> shape = x.sizes().vec();
    check_edge_lists(operation, edges, x);
    x = x.contiguous();
    left = checked_values(operation, "left", left, {shape[0], left.size(1), shape[1]}, x);
    right = checked_values(operation, "right", right, shape, x);
    if (edge_types.defined()) {
      check_index(operation, "edge_types", edge_types, at::kInt, edges.num_edges(), x);
    }
  }

  template <class T>
  GatedPass<T> pass() const {
    GatedPass<T> p;
    p.rows = x.size(0);
    p.width = static_cast<int>(x.size(1));
    p.types = static_cast<int>(left.size(1));
    p.eps = static_cast<T>(kGateSumEps);
    p.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
    p.in_sources = edges.in_sources.data_ptr<std::int32_t>();
    p.out_offsets = edges.out_offsets.data_ptr<std::int64_t>();
    p.out_targets = edges.out_targets.data_ptr<std::int32_t>();
    p.in_types = values_or_null<std::int32_t>(edge_types);
    p.x = x.data_ptr<T>();
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    return p;
  }
};

std::tuple<at::Tensor, at::Tensor> gated_aggregate_cuda(const at::Tensor& x, const at::Tensor& left,
                                                        const at::Tensor& right, const OptionalTensor& edge_types,
                                                        const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                        const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                        const at::Tensor& in_to_out) {
  const GatedInputs inputs("gated_aggregate", x, left, right, edge_types,
                           {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  at::Tensor out = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor inverse_sum = at::empty(inputs.x.sizes(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    gated_means<T>(inputs.pass<T>(), out.data_ptr<T>(), inverse_sum.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {out, inverse_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> gated_aggregate_backward_cuda(
    const at::Tensor& grad_given, const at::Tensor& out_given, const at::Tensor& inverse_given, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out) {
  const GatedInputs inputs("gated_aggregate_backward", x, left, right, edge_types,
                           {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  const at::IntArrayRef shape = inputs.x.sizes();
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, shape, inputs.x);
  const at::Tensor out = checked_values(inputs.operation, "out", out_given, shape, inputs.x);
  const at::Tensor inverse_sum = checked_values(inputs.operation, "inverse_sum", inverse_given, shape, inputs.x);
  at::Tensor grad_x = at::empty(shape, inputs.x.options()), grad_right = at::empty(shape, inputs.x.options());
  at::Tensor grad_left = at::empty(inputs.left.sizes(), inputs.x.options());
  const at::Tensor grad_mean = at::empty(shape, inputs.x.options());
  at::Tensor out_types;
  if (inputs.edge_types.defined()) {
    out_types = at::empty(inputs.edge_types.sizes(), inputs.edge_types.options());
    permute_to_out<std::int32_t>(inputs.edge_types.data_ptr<std::int32_t>(), in_to_out.data_ptr<std::int64_t>(),
                                 inputs.edges.num_edges(), 1, out_types.data_ptr<std::int32_t>(), device.stream);
  }
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto pass = inputs.pass<T>();
    pass.out_types = values_or_null<std::int32_t>(out_types);
    gated_means_backward<T>(pass, grad_out.data_ptr<T>(), out.data_ptr<T>(), inverse_sum.data_ptr<T>(),
                            grad_mean.data_ptr<T>(), grad_x.data_ptr<T>(), grad_left.data_ptr<T>(),
                            grad_right.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {grad_x, grad_left, grad_right};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("gated_aggregate", gated_aggregate_cuda);
  library.impl("gated_aggregate_backward", gated_aggregate_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
