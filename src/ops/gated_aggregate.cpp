// gated_aggregate: schemas, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/gated_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/gated_aggregate_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  const std::string edges =
      "Tensor x, Tensor left, Tensor right, Tensor? edge_types, Tensor in_offsets, Tensor in_sources, "
      "Tensor out_offsets, Tensor out_targets, Tensor in_to_out";
  library.def(("gated_aggregate(" + edges + ") -> (Tensor, Tensor)").c_str());
  library.def(("gated_aggregate_backward(Tensor grad_out, Tensor out, Tensor inverse_sum, " + edges +
               ") -> (Tensor, Tensor, Tensor)")
                  .c_str());
}

struct GatedAggregateFunction : torch::autograd::Function<GatedAggregateFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& left,
                               const at::Tensor& right, const OptionalTensor& edge_types, const at::Tensor& in_offsets,
                               const at::Tensor& in_sources, const at::Tensor& out_offsets,
                               const at::Tensor& out_targets, const at::Tensor& in_to_out) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<GatedAggregateSignature>("factorgcn::gated_aggregate");
    auto [out, inverse_sum] =
        operation.call(x, left, right, edge_types, in_offsets, in_sources, out_offsets, out_targets, in_to_out);
    context->save_for_backward({out, inverse_sum, x, left, right, value_or_undefined(edge_types), in_offsets,
                                in_sources, out_offsets, out_targets, in_to_out});
    context->mark_non_differentiable({inverse_sum});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {out, inverse_sum};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("gated_aggregate");
    static const auto operation =
        find_operation<GatedAggregateBackwardSignature>("factorgcn::gated_aggregate_backward");
    const variable_list saved = context->get_saved_variables();
    if (!grads[0].defined()) {
      return {{}, {}, {}, {}, {}, {}, {}, {}, {}};
    }
    auto [grad_x, grad_left, grad_right] =
        operation.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4], optional(saved[5]), saved[6],
                       saved[7], saved[8], saved[9], saved[10]);
    return {grad_x, grad_left, grad_right, {}, {}, {}, {}, {}, {}};
  }
};

std::tuple<at::Tensor, at::Tensor> gated_aggregate_autograd(const at::Tensor& x, const at::Tensor& left,
                                                            const at::Tensor& right, const OptionalTensor& edge_types,
                                                            const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                            const at::Tensor& out_offsets,
                                                            const at::Tensor& out_targets,
                                                            const at::Tensor& in_to_out) {
  auto results = GatedAggregateFunction::apply(x, left, right, edge_types, in_offsets, in_sources, out_offsets,
                                               out_targets, in_to_out);
  return {results[0], results[1]};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("gated_aggregate", gated_aggregate_autograd); }

}  // namespace

at::Tensor gated_aggregate(const Adjacency& edges, const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                           const at::Tensor& edge_types) {
  require(left.defined() && (left.dim() == 2 || left.dim() == 3),
          "gated_aggregate: left must have shape [nodes, "
          "columns] or [nodes, types, columns]");
  require((left.dim() == 3) == edge_types.defined(), "gated_aggregate: left has shape ", left.sizes(),
          edge_types.defined() ? ", but there are edge types; expected [nodes, types, columns]"
                               : ", but there are no edge types; expected [nodes, columns]");
  static const auto operation = find_operation<GatedAggregateSignature>("factorgcn::gated_aggregate");
  return std::get<0>(operation.call(x, left.dim() == 3 ? left : left.unsqueeze(1), right, optional(edge_types),
                                    edges.in_offsets, edges.in_sources, edges.out_offsets, edges.out_targets,
                                    edges.in_to_out));
}

}  // namespace factorgcn
