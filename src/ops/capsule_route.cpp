// capsule_route: schemas, gradient and the C++ functions. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/capsule_route.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/capsule_route_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  const std::string edges =
      "Tensor in_offsets, Tensor in_sources, Tensor out_offsets, Tensor out_targets, Tensor in_to_out";
  library.def(("capsule_route(Tensor x, Tensor u, bool unit, " + edges + ") -> (Tensor, Tensor)").c_str());
  library.def(
      ("capsule_route_backward(Tensor grad_next, Tensor next, Tensor inverse_length, Tensor x, Tensor u, bool unit, " +
       edges + ") -> (Tensor, Tensor)")
          .c_str());
  library.def("capsule_shares(Tensor x, Tensor u, Tensor in_offsets, Tensor in_sources) -> Tensor");
}

struct CapsuleRouteFunction : torch::autograd::Function<CapsuleRouteFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& u, bool unit,
                               const at::Tensor& in_offsets, const at::Tensor& in_sources,
                               const at::Tensor& out_offsets, const at::Tensor& out_targets,
                               const at::Tensor& in_to_out) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<CapsuleRouteSignature>("factorgcn::capsule_route");
    auto [next, inverse_length] =
        operation.call(x, u, unit, in_offsets, in_sources, out_offsets, out_targets, in_to_out);
    context->save_for_backward(
        {next, inverse_length, x, u, in_offsets, in_sources, out_offsets, out_targets, in_to_out});
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
      return {{}, {}, {}, {}, {}, {}, {}, {}};
    }
    auto [grad_x, grad_u] =
        operation.call(grads[0], saved[0], saved[1], saved[2], saved[3], context->saved_data["unit"].toBool(), saved[4],
                       saved[5], saved[6], saved[7], saved[8]);
    return {grad_x, grad_u, {}, {}, {}, {}, {}, {}};
  }
};

std::tuple<at::Tensor, at::Tensor> capsule_route_autograd(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                          const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                          const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                          const at::Tensor& in_to_out) {
  auto results = CapsuleRouteFunction::apply(x, u, unit, in_offsets, in_sources, out_offsets, out_targets, in_to_out);
  return {results[0], results[1]};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("capsule_route", capsule_route_autograd); }

}  // namespace

at::Tensor capsule_route(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u, CapsuleLength length) {
  static const auto operation = find_operation<CapsuleRouteSignature>("factorgcn::capsule_route");
  return std::get<0>(operation.call(x, u, length == CapsuleLength::kUnit, edges.in_offsets, edges.in_sources,
                                    edges.out_offsets, edges.out_targets, edges.in_to_out));
}

at::Tensor capsule_shares(const Adjacency& edges, const at::Tensor& x, const at::Tensor& u) {
  static const auto operation = find_operation<CapsuleSharesSignature>("factorgcn::capsule_shares");
  at::NoGradGuard no_gradient;
  return operation.call(x, u, edges.in_offsets, edges.in_sources);
}

at::Tensor unit_capsules(const at::Tensor& x) {
  return x * (x.square().sum(-1, /*keepdim=*/true) + kCapsuleEps).rsqrt();
}

}  // namespace factorgcn
