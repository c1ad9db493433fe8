// The arguments of capsule_route and capsule_shares, checked: the same on the CPU and on the GPU.
#pragma once

#include <ATen/ops/empty.h>

#include "factorgcn/ops/capsule_route.h"
#include "ops/edge_argument.h"
#include "ops/edge_checks.h"

namespace factorgcn {

/// Squared lengths are taken this much larger, so that a capsule of zeros stays zero.
inline constexpr double kCapsuleEps = 1e-12;

/// Keeps the inputs alive while raw pointers are in use.
struct RouteArguments {
  const char* operation;
  at::Tensor x, u;
  Adjacency edges;

  RouteArguments(const char* name, const at::Tensor& x_given, const at::Tensor& u_given, at::TensorList edges_given)
      : operation(name), x(x_given), edges(edges_of(name, edges_given)) {
    require(x.defined() && x.dim() == 3 && x.size(2) >= 1, operation,
            ": x must have shape [nodes, capsules, columns] with at least 1 column");
    require(capsules() >= 1 && capsules() <= kMostCapsules, operation, ": ", capsules(), " capsules; 1 to ",
            kMostCapsules, " are supported");
    x = x.contiguous();
    u = checked_values(operation, "u", u_given, x.sizes(), x);
    check_edge_lists(operation, edges, x);
  }

  std::int64_t nodes() const { return x.size(0); }
  std::int64_t capsules() const { return x.size(1); }
  at::Tensor new_capsules() const { return at::empty(x.sizes(), x.options()); }
  at::Tensor new_lengths() const { return at::empty({nodes(), capsules()}, x.options()); }
  at::Tensor new_shares() const { return at::empty({edges.num_edges(), capsules()}, x.options()); }

  /// As the struct of the CPU's or of the GPU's kernels.
  template <template <class> class Problem, class T>
  Problem<T> as(bool unit = true) const {
    Problem<T> p;
    if constexpr (requires { p.rows; }) {
      p.rows = nodes();
    }
    p.capsules = static_cast<decltype(p.capsules)>(capsules());
    p.width = static_cast<decltype(p.width)>(x.size(2));
    p.unit = unit;
    p.eps = static_cast<T>(kCapsuleEps);
    point_to_edges(edges, p);
    p.x = x.data_ptr<T>();
    p.u = u.data_ptr<T>();
    return p;
  }
};

/// What the backward pass is given besides, checked, and what it fills.
struct RouteGradientTables {
  at::Tensor grad_next, next, inverse_length;
  at::Tensor x, u, sum, shares, logits;

  RouteGradientTables(const RouteArguments& in, const at::Tensor& grad_given, const at::Tensor& next_given,
                      const at::Tensor& inverse_given)
      : x(in.new_capsules()),
        u(in.new_capsules()),
        sum(in.new_capsules()),
        shares(in.new_shares()),
        logits(in.new_shares()) {
    require_both_orders(in.operation, in.edges);
    grad_next = checked_values(in.operation, "grad_next", grad_given, x.sizes(), in.x);
    next = checked_values(in.operation, "next", next_given, x.sizes(), in.x);
    inverse_length = checked_values(in.operation, "inverse_length", inverse_given, {in.nodes(), in.capsules()}, in.x);
  }

  /// The fields that the structs of the CPU's and the GPU's kernels have in common.
  template <class T, class Problem>
  void place(Problem& p) const {
    p.grad_next = grad_next.data_ptr<T>();
    p.shares = shares.data_ptr<T>();
    p.grad_logits = logits.data_ptr<T>();
    p.grad_sum = sum.data_ptr<T>();
    p.grad_x = x.data_ptr<T>();
    p.grad_u = u.data_ptr<T>();
  }
};

}  // namespace factorgcn
