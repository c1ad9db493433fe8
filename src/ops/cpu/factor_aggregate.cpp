// factor_aggregate on the CPU: checks, memory and threads around the kernels.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/aggregate_checks.h"
#include "ops/cpu/dispatch.h"
#include "ops/cpu/large_tables.h"
#include "ops/cpu/row_ranges.h"
#include "ops/edge_argument.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cpu {
namespace {

/// The checked arguments, laid out for the kernels.
struct AggregateInputs : AggregateArguments {
  AggregateInputs(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
                  const at::Tensor& right_given, const OptionalTensor& source_given, const OptionalTensor& target_given,
                  Adjacency edges_given, double scale)
      : AggregateArguments(name, std::move(tables_given), left_given, right_given, source_given, target_given,
                           std::move(edges_given), scale) {
    require(factors() <= kMaxFactors, operation, ": ", factors(), " factors; 1 to ", kMaxFactors, " are supported");
    check_last_offset(operation, edges);
  }

  at::Tensor new_result(const at::Tensor& table) const {
    return large_table({targets(), factors(), width(table)}, left.options());
  }
  at::Tensor new_gates(std::int64_t rows) const { return large_table({rows, factors()}, left.options()); }

  template <class T>
  AggregateProblem<T> problem(std::int64_t neighbours) const {
    AggregateProblem<T> p;
    p.nodes = neighbours;
    p.factors = factors();
    p.gate_scale = static_cast<T>(gate_scale);
    point_to_edges(edges, p);
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    p.gate_stride = gate_stride();
    p.source_weight = values_or_null<T>(source_weight);
    p.target_weight = values_or_null<T>(target_weight);
    for (const at::Tensor& table : tables) {
      AggregateTable<T>& entry = p.tables[p.num_tables++];
      entry.each = table.dim() == 3;
      entry.width = width(table);
      entry.x = table.data_ptr<T>();
    }
    return p;
  }
};

/// Rows of two tables of [rows, columns] as halves of one: what is read together, in no order, comes in one piece.
at::Tensor side_by_side(const at::Tensor& first, const at::Tensor& second) {
  constexpr std::int64_t kRowsPerTask = 4096;
  const std::int64_t rows = first.size(0), columns = first.size(1);
  at::Tensor both = large_table({rows, 2 * columns}, first.options());
  with_floating(first, "side_by_side", [&](auto scalar) {
    using T = decltype(scalar);
    const T *left = first.data_ptr<T>(), *right = second.data_ptr<T>();
    T* to = both.data_ptr<T>();
    parallel_rows(rows, kRowsPerTask, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        std::copy_n(left + row * first.stride(0), columns, to + row * 2 * columns);
        std::copy_n(right + row * second.stride(0), columns, to + (row * 2 + 1) * columns);
      }
    });
  });
  return both;
}

void run_forward(const AggregateInputs& inputs, std::vector<at::Tensor> results, const at::Tensor& gate_sum) {
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>(inputs.sources());
    for (std::size_t t = 0; t < results.size(); ++t) {
      problem.tables[t].out = results[t].template data_ptr<T>();
    }
    problem.gate_sum = gate_sum.defined() ? gate_sum.data_ptr<T>() : nullptr;
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.targets(), problem.factors * (inputs.total_width() + 8),
                       [&](std::int64_t begin, std::int64_t end) { kernel.aggregate_rows(problem, begin, end); });
  });
}

std::tuple<at::Tensor, at::Tensor> factor_aggregate_cpu(const at::Tensor& h, const at::Tensor& left,
                                                        const at::Tensor& right, const OptionalTensor& source_weight,
                                                        const OptionalTensor& target_weight, at::TensorList edges,
                                                        double gate_scale) {
  const AggregateInputs inputs("factor_aggregate", shared_table(h), left, right, source_weight, target_weight,
                               edges_of("factor_aggregate", edges), gate_scale);
  at::Tensor out = inputs.new_result(h), gate_sum = inputs.new_gates(inputs.targets());
  run_forward(inputs, {out}, gate_sum);
  return {out, gate_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> factor_aggregate_pair_cpu(
    const at::Tensor& h, const at::Tensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale) {
  const AggregateInputs inputs("factor_aggregate_pair", table_pair(h, q), left, right, source_weight, target_weight,
                               edges_of("factor_aggregate_pair", edges), gate_scale);
  at::Tensor out = inputs.new_result(h), q_out = inputs.new_result(q), gate_sum = inputs.new_gates(inputs.targets());
  run_forward(inputs, {out, q_out}, gate_sum);
  return {out, q_out, gate_sum};
}

at::Tensor factor_aggregate_each_cpu(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                     const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                     at::TensorList edges, double gate_scale) {
  const AggregateInputs inputs("factor_aggregate_each", table_of_each(p), left, right, source_weight, target_weight,
                               edges_of("factor_aggregate_each", edges), gate_scale);
  at::Tensor out = inputs.new_result(p);
  run_forward(inputs, {out}, {});
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> factor_aggregate_backward_cpu(
    const at::Tensor& grad_out, const OptionalTensor& grad_q_out, const OptionalTensor& grad_gate_sum,
    const at::Tensor& x, const OptionalTensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale) {
  const AggregateInputs inputs("factor_aggregate_backward", table_or_pair(x, q), left, right, source_weight,
                               target_weight, edges_of("factor_aggregate_backward", edges), gate_scale);
  const AggregateUpstream upstream(inputs, grad_out, grad_q_out, grad_gate_sum);
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& table : inputs.tables) {
    gradients.push_back(large_table(table.sizes(), inputs.left.options()));
  }
  at::Tensor grad_left = inputs.new_gates(inputs.sources()), grad_right = inputs.new_gates(inputs.targets());
  const at::Tensor upstream_rows =
      upstream.gate_sum.defined() ? side_by_side(inputs.right, upstream.gate_sum) : at::Tensor();
  at::Tensor grad_logits = large_table({inputs.edges.num_edges(), inputs.factors()}, inputs.left.options());
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>(inputs.targets());
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      problem.tables[t].grad_out = upstream.tables[t].template data_ptr<T>();
      problem.tables[t].grad_x = gradients[t].template data_ptr<T>();
    }
    problem.upstream_stride = problem.gate_stride;
    if (upstream_rows.defined()) {
      problem.right = upstream_rows.data_ptr<T>();
      problem.grad_gate_sum = problem.right + problem.factors;
      problem.upstream_stride = 2 * problem.factors;
    }
    problem.grad_left = grad_left.data_ptr<T>();
    problem.grad_right = grad_right.data_ptr<T>();
    problem.grad_logits = grad_logits.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.out_offsets, inputs.sources(), problem.factors * (2 * inputs.total_width() + 8),
        [&](std::int64_t begin, std::int64_t end) { kernel.aggregate_backward_sources(problem, begin, end); });
    parallel_edge_rows(
        problem.in_offsets, inputs.targets(), problem.factors,
        [&](std::int64_t begin, std::int64_t end) { kernel.aggregate_backward_targets(problem, begin, end); });
  });
  return {gradients[0], gradients.size() > 1 ? gradients[1] : at::Tensor(), grad_left, grad_right};
}

at::Tensor factor_gates_cpu(const at::Tensor& left, const at::Tensor& right, at::TensorList edges, double gate_scale) {
  const AggregateInputs inputs("factor_gates", {}, left, right, {}, {}, edges_of("factor_gates", edges), gate_scale);
  at::Tensor gates = at::empty({inputs.edges.num_edges(), inputs.factors()}, left.options());
  with_floating(left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>(inputs.sources());
    problem.gates = gates.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.targets(), problem.factors * 8,
                       [&](std::int64_t begin, std::int64_t end) { kernel.gate_rows(problem, begin, end); });
  });
  return gates;
}

at::Tensor degree_weights_cpu(const at::Tensor& offsets, bool single_precision) {
  return inverse_sqrt_in_degree({offsets, {}, {}, {}, {}}, single_precision ? at::kFloat : at::kDouble);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_weights_cpu(const at::Tensor& in_offsets, const at::Tensor&,
                                                                 std::int64_t, bool weighted, bool single_precision,
                                                                 std::int64_t) {
  return {weighted ? degree_weights_cpu(in_offsets, single_precision) : at::Tensor(), {}, {}};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("degree_weights", degree_weights_cpu);
  library.impl("layer_weights", layer_weights_cpu);
  library.impl("factor_aggregate", factor_aggregate_cpu);
  library.impl("factor_aggregate_pair", factor_aggregate_pair_cpu);
  library.impl("factor_aggregate_each", factor_aggregate_each_cpu);
  library.impl("factor_aggregate_backward", factor_aggregate_backward_cpu);
  library.impl("factor_gates", factor_gates_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
