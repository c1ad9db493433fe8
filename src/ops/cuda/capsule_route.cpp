// capsule_route on the GPU: checks and memory around the kernels.
#include "ops/cuda/capsule_route.h"

#include <torch/library.h>

#include "factorgcn/ops/capsule_route.h"
#include "ops/capsule_route_schema.h"
#include "ops/cuda/edge_inputs.h"

namespace factorgcn::cuda {
namespace {

struct RouteInputs {
  const char* operation;
  at::Tensor x, u;
  Adjacency edges;

  RouteInputs(const char* name, const at::Tensor& x_given, const at::Tensor& u_given, Adjacency edges_given)
      : operation(name), x(x_given), u(u_given), edges(std::move(edges_given)) {
    require(x.defined() && x.dim() == 3 && x.size(2) >= 1, operation,
            ": x must have shape [nodes, capsules, columns] with at least 1 column");
    require(x.size(1) >= 1 && x.size(1) <= kMostCapsules, operation, ": ", x.size(1), " capsules; 1 to ", kMostCapsules,
            " are supported");
    check_edge_lists(operation, edges, x);
    const std::vector<std::int64_t> shape = x.sizes().vec();
    x = x.contiguous();
    u = checked_values(operation, "u", u, shape, x);
  }

  template <class T>
  RoutePass<T> pass() const {
    RoutePass<T> p;
    p.rows = x.size(0);
    p.capsules = static_cast<int>(x.size(1));
    p.width = static_cast<int>(x.size(2));
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

std::tuple<at::Tensor, at::Tensor> capsule_route_cuda(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                      const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                      const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                      const at::Tensor& in_to_out) {
  const RouteInputs inputs("capsule_route", x, u, {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  at::Tensor next = at::empty(inputs.x.sizes(), inputs.x.options());
  at::Tensor inverse_length = at::empty({inputs.x.size(0), inputs.x.size(1)}, inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    RoutePass<T> pass = inputs.pass<T>();
    pass.unit = unit;
    route<T>(pass, next.data_ptr<T>(), inverse_length.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {next, inverse_length};
}

std::tuple<at::Tensor, at::Tensor> capsule_route_backward_cuda(
    const at::Tensor& grad_given, const at::Tensor& next_given, const at::Tensor& inverse_given, const at::Tensor& x,
    const at::Tensor& u, bool unit, const at::Tensor& in_offsets, const at::Tensor& in_sources,
    const at::Tensor& out_offsets, const at::Tensor& out_targets, const at::Tensor& in_to_out) {
  const RouteInputs inputs("capsule_route_backward", x, u,
                           {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  const at::IntArrayRef shape = inputs.x.sizes();
  const at::Tensor grad_next = checked_values(inputs.operation, "grad_next", grad_given, shape, inputs.x);
  const at::Tensor next = checked_values(inputs.operation, "next", next_given, shape, inputs.x);
  const at::Tensor inverse =
      checked_values(inputs.operation, "inverse_length", inverse_given, {inputs.x.size(0), inputs.x.size(1)}, inputs.x);
  at::Tensor grad_x = at::empty(shape, inputs.x.options()), grad_u = at::empty(shape, inputs.x.options());
  const at::Tensor grad_sum = at::empty(shape, inputs.x.options());
  const at::Tensor shares = at::empty({inputs.edges.num_edges(), inputs.x.size(1)}, inputs.x.options());
  const at::Tensor grad_logits = at::empty(shares.sizes(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    RouteGradients<T> gradients;
    gradients.grad_next = grad_next.data_ptr<T>();
    gradients.next = next.data_ptr<T>();
    gradients.inverse_length = inverse.data_ptr<T>();
    gradients.shares = shares.data_ptr<T>();
    gradients.grad_logits = grad_logits.data_ptr<T>();
    gradients.grad_sum = grad_sum.data_ptr<T>();
    gradients.grad_x = grad_x.data_ptr<T>();
    gradients.grad_u = grad_u.data_ptr<T>();
    RoutePass<T> pass = inputs.pass<T>();
    pass.unit = unit;
    route_backward<T>(pass, gradients, device.stream);
  });
  check_launch();
  return {grad_x, grad_u};
}

at::Tensor capsule_shares_cuda(const at::Tensor& x, const at::Tensor& u, const at::Tensor& in_offsets,
                               const at::Tensor& in_sources) {
  const RouteInputs inputs("capsule_shares", x, u, {in_offsets, in_sources, {}, {}, {}});
  const OnDeviceOf device(inputs.x);
  at::Tensor shares = at::empty({inputs.edges.num_edges(), inputs.x.size(1)}, inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    route_shares<T>(inputs.pass<T>(), shares.data_ptr<T>(), device.stream);
  });
  check_launch();
  return shares;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("capsule_route", capsule_route_cuda);
  library.impl("capsule_route_backward", capsule_route_backward_cuda);
  library.impl("capsule_shares", capsule_shares_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
