// gated_aggregate on the CPU: checks, memory and threads around the kernels.
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/edge_inputs.h"
#include "ops/gated_aggregate_schema.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kGateWork = 24;  // multiply-adds that one sigmoid is worth

struct Inputs {
  const char* operation;
  at::Tensor x, left, right, edge_types;
  Adjacency edges;

  Inputs(const char* name, const at::Tensor& x_given, const at::Tensor& left_given, const at::Tensor& right_given,
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
    x = checked_values(operation, "x", x, shape, x);
    left = checked_values(operation, "left", left, {shape[0], left.size(1), shape[1]}, x);
    right = checked_values(operation, "right", right, shape, x);
    check_edge_lists(operation, edges, x);
    if (edge_types.defined()) {
      check_index(operation, "edge_types", edge_types, at::kInt, edges.num_edges(), x);
      const auto* types = edge_types.data_ptr<std::int32_t>();
      for (std::int64_t e = 0; e < edges.num_edges(); ++e) {
        require(types[e] >= 0 && types[e] < left.size(1), operation, ": edge ", e, " has type ", types[e],
                "; there are ", left.size(1), " types");
      }
    }
  }

  std::int64_t nodes() const { return x.size(0); }

  template <class T>
  GatedProblem<T> problem() const {
    GatedProblem<T> p;
    p.width = x.size(1);
    p.types = left.size(1);
    p.eps = static_cast<T>(kGateSumEps);
    p.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
    p.in_sources = edges.in_sources.data_ptr<std::int32_t>();
    p.out_offsets = edges.out_offsets.data_ptr<std::int64_t>();
    p.out_targets = edges.out_targets.data_ptr<std::int32_t>();
    p.edge_types = values_or_null<std::int32_t>(edge_types);
    p.x = x.data_ptr<T>();
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    return p;
  }
};

std::tuple<at::Tensor, at::Tensor> gated_aggregate_cpu(const at::Tensor& x, const at::Tensor& left,
                                                       const at::Tensor& right, const OptionalTensor& edge_types,
                                                       const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                       const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                       const at::Tensor& in_to_out) {
  const Inputs inputs("gated_aggregate", x, left, right, edge_types,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  at::Tensor out = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor inverse_sum = at::empty(inputs.x.sizes(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.out = out.data_ptr<T>();
    problem.inverse_sum = inverse_sum.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.width * kGateWork,
                       [&](std::int64_t begin, std::int64_t end) { kernel.gated_rows(problem, begin, end); });
  });
  return {out, inverse_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> gated_aggregate_backward_cpu(
    const at::Tensor& grad_given, const at::Tensor& out_given, const at::Tensor& inverse_given, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out) {
  const Inputs inputs("gated_aggregate_backward", x, left, right, edge_types,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const at::IntArrayRef shape = inputs.x.sizes();
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, shape, inputs.x);
  const at::Tensor out = checked_values(inputs.operation, "out", out_given, shape, inputs.x);
  const at::Tensor inverse_sum = checked_values(inputs.operation, "inverse_sum", inverse_given, shape, inputs.x);
  at::Tensor grad_x = at::empty(shape, inputs.x.options()), grad_right = at::empty(shape, inputs.x.options());
  at::Tensor grad_left = at::empty(inputs.left.sizes(), inputs.x.options());
  const at::Tensor grad_mean = at::empty(shape, inputs.x.options());
  at::Tensor out_types;
  if (inputs.edge_types.defined()) {
    out_types = at::empty({inputs.edges.num_edges()}, inputs.edge_types.options());
    permute_edges<std::int32_t>(inputs.edge_types.data_ptr<std::int32_t>(),
                                inputs.edges.in_to_out.data_ptr<std::int64_t>(), inputs.edges.num_edges(), 1, true,
                                out_types.data_ptr<std::int32_t>());
  }
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.out_seen = out.data_ptr<T>();
    problem.inverse_sum_seen = inverse_sum.data_ptr<T>();
    problem.grad_out = grad_out.data_ptr<T>();
    problem.grad_mean = grad_mean.data_ptr<T>();
    problem.grad_x = grad_x.data_ptr<T>();
    problem.grad_left = grad_left.data_ptr<T>();
    problem.grad_right = grad_right.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.width * kGateWork,
        [&](std::int64_t begin, std::int64_t end) { kernel.gated_backward_targets(problem, begin, end); });
    problem.edge_types = values_or_null<std::int32_t>(out_types);
    parallel_edge_rows(
        problem.out_offsets, inputs.nodes(), problem.width * kGateWork,
        [&](std::int64_t begin, std::int64_t end) { kernel.gated_backward_sources(problem, begin, end); });
  });
  return {grad_x, grad_left, grad_right};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("gated_aggregate", gated_aggregate_cpu);
  library.impl("gated_aggregate_backward", gated_aggregate_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
