// capsule_route on the CPU: checks, memory and threads around the kernels.
#include <torch/library.h>

#include "factorgcn/ops/capsule_route.h"
#include "ops/capsule_route_schema.h"
#include "ops/cpu/dispatch.h"
#include "ops/cpu/edge_inputs.h"

namespace factorgcn::cpu {
namespace {

struct Inputs {
  const char* operation;
  at::Tensor x, u;
  Adjacency edges;

  Inputs(const char* name, const at::Tensor& x_given, const at::Tensor& u_given, Adjacency edges_given)
      : operation(name), x(x_given), u(u_given), edges(std::move(edges_given)) {
    require(x.defined() && x.dim() == 3 && x.size(2) >= 1, operation,
            ": x must have shape [nodes, capsules, columns] with at least 1 column");
    require(capsules() >= 1 && capsules() <= kMostCapsules, operation, ": ", capsules(), " capsules; 1 to ",
            kMostCapsules, " are supported");
    const std::vector<std::int64_t> shape = x.sizes().vec();
    x = checked_values(operation, "x", x, shape, x);
    u = checked_values(operation, "u", u, shape, x);
    check_edge_lists(operation, edges, x);
  }

  std::int64_t nodes() const { return x.size(0); }
  std::int64_t capsules() const { return x.size(1); }

  template <class T>
  RouteProblem<T> problem() const {
    RouteProblem<T> p;
    p.capsules = capsules();
    p.width = x.size(2);
    p.eps = static_cast<T>(kCapsuleEps);
    p.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
    p.in_sources = edges.in_sources.data_ptr<std::int32_t>();
    p.out_offsets = values_or_null<std::int64_t>(edges.out_offsets);
    p.out_targets = values_or_null<std::int32_t>(edges.out_targets);
    p.in_to_out = values_or_null<std::int64_t>(edges.in_to_out);
    p.x = x.data_ptr<T>();
    p.u = u.data_ptr<T>();
    return p;
  }
};

std::tuple<at::Tensor, at::Tensor> capsule_route_cpu(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                     const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                     const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                     const at::Tensor& in_to_out) {
  const Inputs inputs("capsule_route", x, u, {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  at::Tensor next = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor inverse_length = at::empty({inputs.nodes(), inputs.capsules()}, inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.unit = unit;
    problem.next = next.data_ptr<T>();
    problem.inverse_length = inverse_length.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.capsules * (2 * problem.width + 24),
                       [&](std::int64_t begin, std::int64_t end) { kernel.route_rows(problem, begin, end); });
  });
  return {next, inverse_length};
}

std::tuple<at::Tensor, at::Tensor> capsule_route_backward_cpu(
    const at::Tensor& grad_given, const at::Tensor& next_given, const at::Tensor& inverse_given, const at::Tensor& x,
    const at::Tensor& u, bool unit, const at::Tensor& in_offsets, const at::Tensor& in_sources,
    const at::Tensor& out_offsets, const at::Tensor& out_targets, const at::Tensor& in_to_out) {
  const Inputs inputs("capsule_route_backward", x, u, {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const at::IntArrayRef shape = inputs.x.sizes();
  const at::Tensor grad_next = checked_values(inputs.operation, "grad_next", grad_given, shape, inputs.x);
  const at::Tensor next = checked_values(inputs.operation, "next", next_given, shape, inputs.x);
  const at::Tensor inverse =
      checked_values(inputs.operation, "inverse_length", inverse_given, {inputs.nodes(), inputs.capsules()}, inputs.x);
  at::Tensor grad_x = at::empty(shape, inputs.x.options()), grad_u = at::empty(shape, inputs.x.options());
  const at::Tensor grad_sum = at::empty(shape, inputs.x.options());
  const at::Tensor shares = at::empty({inputs.edges.num_edges(), inputs.capsules()}, inputs.x.options());
  const at::Tensor grad_logits = at::empty(shares.sizes(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.unit = unit;
    problem.next_seen = next.data_ptr<T>();
    problem.inverse_length_seen = inverse.data_ptr<T>();
    problem.grad_next = grad_next.data_ptr<T>();
    problem.shares = shares.data_ptr<T>();
    problem.grad_logits = grad_logits.data_ptr<T>();
    problem.grad_sum = grad_sum.data_ptr<T>();
    problem.grad_u = grad_u.data_ptr<T>();
    problem.grad_x = grad_x.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.capsules * (4 * problem.width + 24),
        [&](std::int64_t begin, std::int64_t end) { kernel.route_backward_targets(problem, begin, end); });
    parallel_edge_rows(
        problem.out_offsets, inputs.nodes(), problem.capsules * 2 * problem.width,
        [&](std::int64_t begin, std::int64_t end) { kernel.route_backward_sources(problem, begin, end); });
  });
  return {grad_x, grad_u};
}

at::Tensor capsule_shares_cpu(const at::Tensor& x, const at::Tensor& u, const at::Tensor& in_offsets,
                              const at::Tensor& in_sources) {
  const Inputs inputs("capsule_shares", x, u, {in_offsets, in_sources, {}, {}, {}});
  at::Tensor shares = at::empty({inputs.edges.num_edges(), inputs.capsules()}, inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.shares = shares.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.capsules * (problem.width + 24),
                       [&](std::int64_t begin, std::int64_t end) { kernel.share_rows(problem, begin, end); });
  });
  return shares;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("capsule_route", capsule_route_cpu);
  library.impl("capsule_route_backward", capsule_route_backward_cpu);
  library.impl("capsule_shares", capsule_shares_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
