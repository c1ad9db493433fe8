// capsule_route on the CPU: memory and threads around the kernels.
#include <torch/library.h>

#include "ops/capsule_route_checks.h"
#include "ops/cpu/dispatch.h"
#include "ops/cpu/row_ranges.h"

namespace factorgcn::cpu {
namespace {

std::tuple<at::Tensor, at::Tensor> capsule_route_cpu(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                     at::TensorList edges) {
  const RouteArguments inputs("capsule_route", x, u, edges);
  at::Tensor next = inputs.new_capsules(), inverse_length = inputs.new_lengths();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<RouteProblem, T>(unit);
    problem.next = next.data_ptr<T>();
    problem.inverse_length = inverse_length.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.capsules * (2 * problem.width + 24),
                       [&](std::int64_t begin, std::int64_t end) { kernel.route_rows(problem, begin, end); });
  });
  return {next, inverse_length};
}

std::tuple<at::Tensor, at::Tensor> capsule_route_backward_cpu(const at::Tensor& grad_next, const at::Tensor& next,
                                                              const at::Tensor& inverse_length, const at::Tensor& x,
                                                              const at::Tensor& u, bool unit, at::TensorList edges) {
  const RouteArguments inputs("capsule_route_backward", x, u, edges);
  const RouteGradientTables gradients(inputs, grad_next, next, inverse_length);
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<RouteProblem, T>(unit);
    problem.next_seen = gradients.next.data_ptr<T>();
    problem.inverse_length_seen = gradients.inverse_length.data_ptr<T>();
    gradients.place<T>(problem);
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.capsules * (4 * problem.width + 24),
        [&](std::int64_t begin, std::int64_t end) { kernel.route_backward_targets(problem, begin, end); });
    parallel_edge_rows(
        problem.out_offsets, inputs.nodes(), problem.capsules * 2 * problem.width,
        [&](std::int64_t begin, std::int64_t end) { kernel.route_backward_sources(problem, begin, end); });
  });
  return {gradients.x, gradients.u};
}

at::Tensor capsule_shares_cpu(const at::Tensor& x, const at::Tensor& u, at::TensorList edges) {
  const RouteArguments inputs("capsule_shares", x, u, edges);
  at::Tensor shares = inputs.new_shares();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<RouteProblem, T>();
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
