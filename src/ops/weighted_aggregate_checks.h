// weighted_aggregate's arguments, checked: the same on the CPU and on the GPU. Edges may lead from one table of nodes,
// S sources, to another, T targets.
#pragma once

#include <vector>

#include "ops/edge_argument.h"
#include "ops/edge_checks.h"

namespace factorgcn {

/// Keeps the inputs alive while raw pointers are in use.
struct WeightedArguments {
  const char* operation;
  at::Tensor x, edge_weight, source_weight, target_weight;
  Adjacency edges;

  WeightedArguments(const char* name, const at::Tensor& x_given, const OptionalTensor& weight_given,
                    const OptionalTensor& source_given, const OptionalTensor& target_given, at::TensorList edges_given)
      : operation(name), x(x_given), edge_weight(value_or_undefined(weight_given)), edges(edges_of(name, edges_given)) {
    require(x.defined() && (x.dim() == 2 || (x.dim() == 3 && edge_weight.defined())) && x.size(-1) >= 1, operation,
            ": x must have shape [nodes, columns], or with edge weights [nodes, heads, columns]");
    check_edge_shapes(operation, edges, sources(), targets_beside(edges, sources()), x);
    if (x.device().is_cpu()) {
      check_last_offset(operation, edges);
    }
    x = x.contiguous();
    if (edge_weight.defined()) {
      require(edge_weight.dim() == 2, operation, ": edge_weight has shape ", edge_weight.sizes(),
              ", expected [edges, heads]");
      const std::int64_t count = x.dim() == 3 ? x.size(1) : edge_weight.size(1);
      edge_weight = checked_values(operation, "edge_weight", edge_weight, {edges.num_edges(), count}, x);
      require(count >= 1, operation, ": ", count, " heads; at least 1 is needed");
    }
    source_weight = checked_if_given(operation, "source_weight", source_given, {sources()}, x);
    target_weight = checked_if_given(operation, "target_weight", target_given, {targets()}, x);
  }

  std::int64_t sources() const { return x.size(0); }
  std::int64_t targets() const { return edges.num_targets(); }
  std::int64_t heads() const { return edge_weight.defined() ? edge_weight.size(1) : 1; }
  std::int64_t width() const { return x.size(-1); }

  std::vector<std::int64_t> out_shape() const {
    return edge_weight.defined() ? std::vector<std::int64_t>{targets(), heads(), width()}
                                 : std::vector<std::int64_t>{targets(), width()};
  }
};

}  // namespace factorgcn
