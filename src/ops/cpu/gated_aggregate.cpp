// gated_aggregate on the CPU: memory and threads around the kernels.
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/permute_edges.h"
#include "ops/cpu/row_ranges.h"
#include "ops/gated_aggregate_checks.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kGateWork = 24;  // multiply-adds that one sigmoid is worth

std::tuple<at::Tensor, at::Tensor> gated_aggregate_cpu(const at::Tensor& x, const at::Tensor& left,
                                                       const at::Tensor& right, const OptionalTensor& edge_types,
                                                       at::TensorList edges) {
  const GatedArguments inputs("gated_aggregate", x, left, right, edge_types, edges);
  at::Tensor out = inputs.new_nodes(), inverse_sum = inputs.new_nodes();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<GatedProblem, T>();
    problem.edge_types = values_or_null<std::int32_t>(inputs.edge_types);
    problem.out = out.data_ptr<T>();
    problem.inverse_sum = inverse_sum.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.width * kGateWork,
                       [&](std::int64_t begin, std::int64_t end) { kernel.gated_rows(problem, begin, end); });
  });
  return {out, inverse_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> gated_aggregate_backward_cpu(
    const at::Tensor& grad_out, const at::Tensor& out, const at::Tensor& inverse_sum, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, at::TensorList edges) {
  const GatedArguments inputs("gated_aggregate_backward", x, left, right, edge_types, edges);
  const GatedGradients gradients(inputs, grad_out, out, inverse_sum);
  if (gradients.out_types.defined()) {
    permute_edges<std::int32_t>(inputs.edge_types.data_ptr<std::int32_t>(),
                                inputs.edges.in_to_out.data_ptr<std::int64_t>(), inputs.edges.num_edges(), 1, true,
                                gradients.out_types.data_ptr<std::int32_t>());
  }
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<GatedProblem, T>();
    problem.edge_types = values_or_null<std::int32_t>(inputs.edge_types);
    problem.out_seen = gradients.out.data_ptr<T>();
    problem.inverse_sum_seen = gradients.inverse_sum.data_ptr<T>();
    problem.grad_out = gradients.grad_out.data_ptr<T>();
    problem.grad_mean = gradients.mean.data_ptr<T>();
    problem.grad_x = gradients.x.data_ptr<T>();
    problem.grad_left = gradients.left.data_ptr<T>();
    problem.grad_right = gradients.right.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.width * kGateWork,
        [&](std::int64_t begin, std::int64_t end) { kernel.gated_backward_targets(problem, begin, end); });
    problem.edge_types = values_or_null<std::int32_t>(gradients.out_types);
    parallel_edge_rows(
        problem.out_offsets, inputs.nodes(), problem.width * kGateWork,
        [&](std::int64_t begin, std::int64_t end) { kernel.gated_backward_sources(problem, begin, end); });
  });
  return {gradients.x, gradients.left, gradients.right};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("gated_aggregate", gated_aggregate_cpu);
  library.impl("gated_aggregate_backward", gated_aggregate_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
