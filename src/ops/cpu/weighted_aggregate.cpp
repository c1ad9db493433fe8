// weighted_aggregate on the CPU: checks, memory and threads around the kernels.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/permute_edges.h"
#include "ops/cpu/row_ranges.h"
#include "ops/weighted_aggregate_checks.h"

namespace factorgcn::cpu {
namespace {

template <class T>
AggregateProblem<T> weighted_problem(const WeightedArguments& in, std::int64_t neighbours) {
  require(in.heads() <= kMaxFactors, in.operation, ": ", in.heads(), " heads; 1 to ", kMaxFactors, " are supported");
  AggregateProblem<T> p;
  p.nodes = neighbours;
  p.factors = in.heads();
  point_to_edges(in.edges, p);
  p.source_weight = values_or_null<T>(in.source_weight);
  p.target_weight = values_or_null<T>(in.target_weight);
  p.num_tables = 1;
  p.tables[0].each = in.x.dim() == 3;
  p.tables[0].width = in.width();
  p.tables[0].x = in.x.data_ptr<T>();
  return p;
}

template <class T>
void run_weighted_rows(const AggregateProblem<T>& problem, std::int64_t rows) {
  const auto& kernel = kernels().of<T>();
  parallel_edge_rows(problem.in_offsets, rows, problem.factors * (problem.tables[0].width + 2),
                     [&](std::int64_t begin, std::int64_t end) { kernel.weighted_rows(problem, begin, end); });
}

at::Tensor weighted_aggregate_cpu(const at::Tensor& x, const OptionalTensor& edge_weight,
                                  const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                  at::TensorList edges) {
  const WeightedArguments inputs("weighted_aggregate", x, edge_weight, source_weight, target_weight, edges);
  at::Tensor out = at::empty(inputs.out_shape(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = weighted_problem<T>(inputs, inputs.sources());
    problem.given_gates = values_or_null<T>(inputs.edge_weight);
    problem.tables[0].out = out.data_ptr<T>();
    run_weighted_rows(problem, inputs.targets());
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward_cpu(const at::Tensor& grad_given, const at::Tensor& x,
                                                                   const OptionalTensor& edge_weight,
                                                                   const OptionalTensor& source_weight,
                                                                   const OptionalTensor& target_weight,
                                                                   at::TensorList edges) {
  const WeightedArguments inputs("weighted_aggregate_backward", x, edge_weight, source_weight, target_weight, edges);
  require_both_orders(inputs.operation, inputs.edges);
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, inputs.out_shape(), inputs.x);
  at::Tensor grad_x = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor grad_weight;
  const std::int64_t count = inputs.edges.num_edges(), heads = inputs.heads();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = weighted_problem<T>(inputs, inputs.targets());
    if (!inputs.edge_weight.defined()) {
      // The same sum over the edges turned round.
      std::swap(problem.in_offsets, problem.out_offsets);
      std::swap(problem.in_sources, problem.out_targets);
      std::swap(problem.source_weight, problem.target_weight);
      problem.tables[0].x = grad_out.data_ptr<T>();
      problem.tables[0].out = grad_x.data_ptr<T>();
      run_weighted_rows(problem, inputs.sources());
      return;
    }
    const at::Tensor weights = at::empty({count, heads}, inputs.x.options());
    const at::Tensor gradients = at::empty({count, heads}, inputs.x.options());
    grad_weight = at::empty({count, heads}, inputs.x.options());
    const auto* places = inputs.edges.in_to_out.template data_ptr<std::int64_t>();
    permute_edges<T>(inputs.edge_weight.template data_ptr<T>(), places, count, heads, true,
                     weights.template data_ptr<T>());
    problem.given_gates = weights.template data_ptr<T>();
    problem.grad_logits = gradients.template data_ptr<T>();
    problem.tables[0].grad_out = grad_out.template data_ptr<T>();
    problem.tables[0].grad_x = grad_x.template data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.out_offsets, inputs.sources(), heads * (2 * inputs.width() + 2),
        [&](std::int64_t begin, std::int64_t end) { kernel.weighted_backward_sources(problem, begin, end); });
    permute_edges<T>(gradients.template data_ptr<T>(), places, count, heads, false, grad_weight.template data_ptr<T>());
  });
  return {grad_x, grad_weight};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("weighted_aggregate", weighted_aggregate_cpu);
  library.impl("weighted_aggregate_backward", weighted_aggregate_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
