// weighted_aggregate on the GPU: checks and memory around the kernels.
#include "ops/cuda/weighted_aggregate.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/glue.h"
#include "ops/one_table.h"
#include "ops/weighted_aggregate_checks.h"

namespace factorgcn::cuda {
namespace {

template <class T>
WeightedPass<T> weighted_pass(const WeightedArguments& in, bool by_target) {
  require_one_table(in.operation, in.sources(), in.targets());
  WeightedPass<T> p;
  p.rows = in.sources();
  p.heads = static_cast<int>(in.heads());
  p.width = static_cast<int>(in.width());
  p.each = in.x.dim() == 3 || in.heads() == 1;
  p.offsets = values_or_null<std::int64_t>(by_target ? in.edges.in_offsets : in.edges.out_offsets);
  p.neighbours = values_or_null<std::int32_t>(by_target ? in.edges.in_sources : in.edges.out_targets);
  p.own_weight = values_or_null<T>(by_target ? in.target_weight : in.source_weight);
  p.their_weight = values_or_null<T>(by_target ? in.source_weight : in.target_weight);
  return p;
}

at::Tensor weighted_aggregate_cuda(const at::Tensor& x, const OptionalTensor& edge_weight,
                                   const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                   at::TensorList edges) {
  const WeightedArguments inputs("weighted_aggregate", x, edge_weight, source_weight, target_weight, edges);
  const OnDeviceOf device(inputs.x);
  at::Tensor out = at::empty(inputs.out_shape(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto pass = weighted_pass<T>(inputs, true);
    pass.edge_weight = values_or_null<T>(inputs.edge_weight);
    weighted_sums<T>(pass, inputs.x.template data_ptr<T>(), out.data_ptr<T>(), device.stream);
  });
  check_launch();
  return out;
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward_cuda(const at::Tensor& grad_given, const at::Tensor& x,
                                                                    const OptionalTensor& edge_weight,
                                                                    const OptionalTensor& source_weight,
                                                                    const OptionalTensor& target_weight,
                                                                    at::TensorList edges) {
  const WeightedArguments inputs("weighted_aggregate_backward", x, edge_weight, source_weight, target_weight, edges);
  const OnDeviceOf device(inputs.x);
  require_both_orders(inputs.operation, inputs.edges);
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, inputs.out_shape(), inputs.x);
  at::Tensor grad_x = at::empty(inputs.x.sizes(), inputs.x.options()), grad_weight;
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto by_source = weighted_pass<T>(inputs, false);
    at::Tensor weights;
    if (inputs.edge_weight.defined()) {
      weights = at::empty(inputs.edge_weight.sizes(), inputs.x.options());
      permute_to_out<T>(inputs.edge_weight.template data_ptr<T>(),
                        inputs.edges.in_to_out.template data_ptr<std::int64_t>(), inputs.edges.num_edges(),
                        by_source.heads, weights.template data_ptr<T>(), device.stream);
      by_source.edge_weight = weights.template data_ptr<T>();
    }
    const T* upstream = grad_out.template data_ptr<T>();
    if (by_source.each) {
      weighted_sums<T>(by_source, upstream, grad_x.template data_ptr<T>(), device.stream);
    } else {
      weighted_shared_gradient<T>(by_source, upstream, grad_x.template data_ptr<T>(), device.stream);
    }
    if (inputs.edge_weight.defined()) {
      grad_weight = at::empty(inputs.edge_weight.sizes(), inputs.x.options());
      weighted_edge_gradient<T>(weighted_pass<T>(inputs, true), inputs.x.template data_ptr<T>(), upstream,
                                grad_weight.template data_ptr<T>(), device.stream);
    }
  });
  check_launch();
  return {grad_x, grad_weight};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("weighted_aggregate", weighted_aggregate_cuda);
  library.impl("weighted_aggregate_backward", weighted_aggregate_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
