// gated_aggregate's arguments, checked: the same on the CPU and on the GPU, values aside, which a GPU keeps to itself.
#pragma once

#include <ATen/ops/empty.h>

#include "ops/edge_argument.h"
#include "ops/edge_checks.h"

namespace factorgcn {

/// Added to the sum of gates: a node without in-edges gets zeros.
inline constexpr double kGateSumEps = 1e-6;

/// Keeps the inputs alive while raw pointers are in use.
struct GatedArguments {
  const char* operation;
  at::Tensor x, left, right, edge_types;
  Adjacency edges;

  GatedArguments(const char* name, const at::Tensor& x_given, const at::Tensor& left_given,
                 const at::Tensor& right_given, const OptionalTensor& types_given, at::TensorList edges_given)
      : operation(name),
        x(x_given),
        left(left_given),
        edge_types(value_or_undefined(types_given)),
        edges(edges_of(name, edges_given)) {
    require(x.defined() && x.dim() == 2 && x.size(1) >= 1, operation,
            ": x must have shape [nodes, columns] with at least 1 column");
    require(left.defined() && left.dim() == 3 && left.size(1) >= 1, operation,
            ": left must have shape [nodes, types, columns] with at least 1 type");
    x = x.contiguous();
    left = checked_values(operation, "left", left, {nodes(), types(), width()}, x);
    right = checked_values(operation, "right", right_given, x.sizes(), x);
    check_edge_lists(operation, edges, x);
    if (edge_types.defined()) {
      check_types();
    }
  }

  std::int64_t nodes() const { return x.size(0); }
  std::int64_t types() const { return left.size(1); }
  std::int64_t width() const { return x.size(1); }
  at::Tensor new_nodes() const { return at::empty(x.sizes(), x.options()); }

  /// As the struct of the CPU's or of the GPU's kernels; the types of edges, whose order differs, aside.
  template <template <class> class Problem, class T>
  Problem<T> as() const {
    Problem<T> p;
    if constexpr (requires { p.rows; }) {
      p.rows = nodes();
    }
    p.width = static_cast<decltype(p.width)>(width());
    p.types = static_cast<decltype(p.types)>(types());
    p.eps = static_cast<T>(kGateSumEps);
    point_to_edges(edges, p);
    p.x = x.data_ptr<T>();
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    return p;
  }

 private:
  void check_types() const {
    check_index(operation, "edge_types", edge_types, at::kInt, edges.num_edges(), x);
    if (!x.device().is_cpu()) {
      return;
    }
    const auto* of_edges = edge_types.data_ptr<std::int32_t>();
    for (std::int64_t e = 0; e < edges.num_edges(); ++e) {
      require(of_edges[e] >= 0 && of_edges[e] < types(), operation, ": edge ", e, " has type ", of_edges[e],
              "; there are ", types(), " types");
    }
  }
};

/// What the backward pass is given besides, checked, and what it fills.
struct GatedGradients {
  at::Tensor grad_out, out, inverse_sum;
  at::Tensor x, left, right, mean;
  at::Tensor out_types;  // the types in the order of out-edges; undefined where there are none

  GatedGradients(const GatedArguments& in, const at::Tensor& grad_given, const at::Tensor& out_given,
                 const at::Tensor& inverse_given)
      : x(in.new_nodes()),
        left(at::empty(in.left.sizes(), in.x.options())),
        right(in.new_nodes()),
        mean(in.new_nodes()) {
    require_both_orders(in.operation, in.edges);
    grad_out = checked_values(in.operation, "grad_out", grad_given, x.sizes(), in.x);
    out = checked_values(in.operation, "out", out_given, x.sizes(), in.x);
    inverse_sum = checked_values(in.operation, "inverse_sum", inverse_given, x.sizes(), in.x);
    if (in.edge_types.defined()) {
      out_types = at::empty(in.edge_types.sizes(), in.edge_types.options());
    }
  }
};

}  // namespace factorgcn
