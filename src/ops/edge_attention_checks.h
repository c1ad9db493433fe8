// edge_attention's arguments, checked: the same on the CPU and on the GPU.
#pragma once

#include <ATen/ops/empty.h>

#include "ops/edge_argument.h"
#include "ops/edge_checks.h"

namespace factorgcn {

/// Keeps the inputs alive while raw pointers are in use.
struct AttentionArguments {
  const char* operation;
  at::Tensor left, right;
  Adjacency edges;
  double slope;

  AttentionArguments(const char* name, const at::Tensor& left_given, const at::Tensor& right_given,
                     at::TensorList edges_given, double slope_given)
      : operation(name), left(left_given), edges(edges_of(name, edges_given)), slope(slope_given) {
    require(left.defined() && left.dim() == 2 && left.size(1) >= 1, operation,
            ": left must have shape [nodes, heads] with at least 1 head");
    left = left.contiguous();
    right = checked_values(operation, "right", right_given, left.sizes(), left);
    check_edge_lists(operation, edges, left);
  }

  std::int64_t nodes() const { return left.size(0); }
  std::int64_t heads() const { return left.size(1); }
  at::Tensor new_nodes() const { return at::empty(left.sizes(), left.options()); }
  at::Tensor new_edges() const { return at::empty({edges.num_edges(), heads()}, left.options()); }

  /// As the struct of the CPU's or of the GPU's kernels.
  template <template <class> class Problem, class T>
  Problem<T> as() const {
    Problem<T> p;
    if constexpr (requires { p.rows; }) {
      p.rows = nodes();
    }
    p.heads = static_cast<decltype(p.heads)>(heads());
    p.slope = static_cast<T>(slope);
    point_to_edges(edges, p);
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    return p;
  }
};

/// What the backward pass is given besides, checked, and what it fills.
struct AttentionGradients {
  at::Tensor grad_alpha, alpha;
  at::Tensor left, right, logits;

  AttentionGradients(const AttentionArguments& in, const at::Tensor& grad_given, const at::Tensor& alpha_given)
      : left(in.new_nodes()), right(in.new_nodes()), logits(in.new_edges()) {
    require_both_orders(in.operation, in.edges);
    grad_alpha = checked_values(in.operation, "grad_alpha", grad_given, logits.sizes(), in.left);
    alpha = checked_values(in.operation, "alpha", alpha_given, logits.sizes(), in.left);
  }
};

}  // namespace factorgcn
