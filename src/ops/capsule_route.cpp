// capsule_route: schemas, gradient and the C++ functions. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/capsule_route.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/capsule_route_checks.h"
#include "ops/differentiable.h"
#include "ops/one_table.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns next and what v was multiplied by, [N, K]: 1 / |v|, or 1 where capsules keep their length.
using CapsuleRouteSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                                 at::TensorList edges);

/// Gradients of x and u.
using CapsuleRouteBackwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& grad_next,
                                                                         const at::Tensor& next,
                                                                         const at::Tensor& inverse_length,
                                                                         const at::Tensor& x, const at::Tensor& u,
                                                                         bool unit, at::TensorList edges);

using CapsuleSharesSignature = at::Tensor(const at::Tensor& x, const at::Tensor& u, at::TensorList edges);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("capsule_route(Tensor x, Tensor u, bool unit, Tensor[] edges) -> (Tensor, Tensor)");
  library.def(
      "capsule_route_backward(Tensor grad_next, Tensor next, Tensor inverse_length, Tensor x, Tensor u, bool unit, "
      "Tensor[] edges) -> (Tensor, Tensor)");
  library.def("capsule_shares(Tensor x, Tensor u, Tensor[] edges) -> Tensor");
}

struct CapsuleRouteFunction : torch::autograd::Function<CapsuleRouteFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& u, bool unit,
                               EdgeArgument edges) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<CapsuleRouteSignature>("factorgcn::capsule_route");
    auto [next, inverse_length] = operation.call(x, u, unit, edges.lists);
    context->save_for_backward(with_edges({next, inverse_length, x, u}, edges));
    context->saved_data["unit"] = unit;
    context->mark_non_differentiable({inverse_length});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {next, inverse_length};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("capsule_route");
    static const auto operation = find_operation<CapsuleRouteBackwardSignature>("factorgcn::capsule_route_backward");
    const variable_list saved = context->get_saved_variables();
    if (!grads[0].defined()) {
      return {{}, {}, {}, {}};
    }
    auto [grad_x, grad_u] = operation.call(grads[0], saved[0], saved[1], saved[2], saved[3],
                                           context->saved_data["unit"].toBool(), saved_edges(saved));
    return {grad_x, grad_u, {}, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("capsule_route", Differentiable<CapsuleRouteFunction, CapsuleRouteSignature>::call);
}

}  // namespace

at::Tensor capsule_route(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u, CapsuleLength length) {
  static const auto operation = find_operation<CapsuleRouteSignature>("factorgcn::capsule_route");
  if (edges.num_sources() != edges.num_targets()) {
    const OneTable nodes(edges);
    return nodes.of_targets(std::get<0>(
        operation.call(nodes.padded(x), nodes.padded(u), length == CapsuleLength::kUnit, edge_lists(nodes.edges()))));
  }
  return std::get<0>(operation.call(x, u, length == CapsuleLength::kUnit, edge_lists(edges)));
}

at::Tensor capsule_shares(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u) {
  static const auto operation = find_operation<CapsuleSharesSignature>("factorgcn::capsule_shares");
  at::NoGradGuard no_gradient;
  return operation.call(x, u, edge_lists(edges));
}

at::Tensor unit_capsules(const at::Tensor& x) {
  return x * (x.square().sum(-1, /*keepdim=*/true) + kCapsuleEps).rsqrt();
}

}  // namespace factorgcn
