// weighted_aggregate on the CPU: checks, memory and threads around the kernels.
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/edge_inputs.h"
#include "ops/weighted_aggregate_schema.h"

namespace factorgcn::cpu {
namespace {

/// All inputs, checked; keeps them alive while raw pointers are in use.
struct Inputs {
  const char* operation;
  at::Tensor x, edge_weight, source_weight, target_weight;
  Adjacency edges;

  Inputs(const char* name, const at::Tensor& x_given, const OptionalTensor& weight_given,
         const OptionalTensor& source_given, const OptionalTensor& target_given, Adjacency edges_given)
      : operation(name),
        x(x_given),
        edge_weight(value_or_undefined(weight_given)),
        source_weight(value_or_undefined(source_given)),
        target_weight(value_or_undefined(target_given)),
        edges(std::move(edges_given)) {
    require(x.defined() && (x.dim() == 2 || (x.dim() == 3 && edge_weight.defined())) && x.size(-1) >= 1, operation,
            ": x must have shape [nodes, columns], or with edge weights [nodes, heads, columns]");
    check_edge_lists(operation, edges, x);
    x = checked_values(operation, "x", x, x.sizes().vec(), x);
    if (edge_weight.defined()) {
      require(edge_weight.dim() == 2, operation, ": edge_weight has shape ", edge_weight.sizes(),
              ", expected [edges, heads]");
      const std::int64_t heads = x.dim() == 3 ? x.size(1) : edge_weight.size(1);
      edge_weight = checked_values(operation, "edge_weight", edge_weight, {edges.num_edges(), heads}, x);
      require(heads >= 1 && heads <= kMaxFactors, operation, ": ", heads, " heads; 1 to ", kMaxFactors,
              " are supported");
    }
    if (source_weight.defined()) {
      source_weight = checked_values(operation, "source_weight", source_weight, {nodes()}, x);
    }
    if (target_weight.defined()) {
      target_weight = checked_values(operation, "target_weight", target_weight, {nodes()}, x);
    }
  }

  std::int64_t nodes() const { return x.size(0); }
  std::int64_t heads() const { return edge_weight.defined() ? edge_weight.size(1) : 1; }
  std::int64_t width() const { return x.size(-1); }
  std::vector<std::int64_t> out_shape() const {
    return edge_weight.defined() ? std::vector<std::int64_t>{nodes(), heads(), width()}
                                 : std::vector<std::int64_t>{nodes(), width()};
  }

  template <class T>
  AggregateProblem<T> problem() const {
    AggregateProblem<T> p;
    p.nodes = nodes();
    p.factors = heads();
    p.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
    p.in_sources = edges.in_sources.data_ptr<std::int32_t>();
    p.out_offsets = edges.out_offsets.data_ptr<std::int64_t>();
    p.out_targets = edges.out_targets.data_ptr<std::int32_t>();
    p.source_weight = values_or_null<T>(source_weight);
    p.target_weight = values_or_null<T>(target_weight);
    p.num_tables = 1;
    p.tables[0].each = x.dim() == 3;
    p.tables[0].width = width();
    p.tables[0].x = x.data_ptr<T>();
    return p;
  }
};

template <class T>
void run_rows(const AggregateProblem<T>& problem, std::int64_t nodes) {
  const auto& kernel = kernels().of<T>();
  parallel_edge_rows(problem.in_offsets, nodes, problem.factors * (problem.tables[0].width + 2),
                     [&](std::int64_t begin, std::int64_t end) { kernel.weighted_rows(problem, begin, end); });
}

at::Tensor weighted_aggregate_cpu(const at::Tensor& x, const OptionalTensor& edge_weight,
                                  const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                  const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                  const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                  const at::Tensor& in_to_out) {
  const Inputs inputs("weighted_aggregate", x, edge_weight, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  at::Tensor out = at::empty(inputs.out_shape(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.given_gates = values_or_null<T>(inputs.edge_weight);
    problem.tables[0].out = out.data_ptr<T>();
    run_rows(problem, inputs.nodes());
  });
  return out;
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward_cpu(
    const at::Tensor& grad_given, const at::Tensor& x, const OptionalTensor& edge_weight,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out) {
  const Inputs inputs("weighted_aggregate_backward", x, edge_weight, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, inputs.out_shape(), inputs.x);
  at::Tensor grad_x = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor grad_weight;
  const std::int64_t edges = inputs.edges.num_edges(), heads = inputs.heads();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    if (!inputs.edge_weight.defined()) {
      // The same sum over the edges turned round.
      std::swap(problem.in_offsets, problem.out_offsets);
      std::swap(problem.in_sources, problem.out_targets);
      std::swap(problem.source_weight, problem.target_weight);
      problem.tables[0].x = grad_out.data_ptr<T>();
      problem.tables[0].out = grad_x.data_ptr<T>();
      run_rows(problem, inputs.nodes());
      return;
    }
    const at::Tensor weights = at::empty({edges, heads}, inputs.x.options());
    const at::Tensor gradients = at::empty({edges, heads}, inputs.x.options());
    grad_weight = at::empty({edges, heads}, inputs.x.options());
    const auto* places = inputs.edges.in_to_out.template data_ptr<std::int64_t>();
    permute_edges<T>(inputs.edge_weight.template data_ptr<T>(), places, edges, heads, true,
                     weights.template data_ptr<T>());
    problem.given_gates = weights.template data_ptr<T>();
    problem.grad_logits = gradients.template data_ptr<T>();
    problem.tables[0].grad_out = grad_out.template data_ptr<T>();
    problem.tables[0].grad_x = grad_x.template data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.out_offsets, inputs.nodes(), heads * (2 * inputs.width() + 2),
        [&](std::int64_t begin, std::int64_t end) { kernel.weighted_backward_sources(problem, begin, end); });
    permute_edges<T>(gradients.template data_ptr<T>(), places, edges, heads, false, grad_weight.template data_ptr<T>());
  });
  return {grad_x, grad_weight};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("weighted_aggregate", weighted_aggregate_cpu);
  library.impl("weighted_aggregate_backward", weighted_aggregate_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
