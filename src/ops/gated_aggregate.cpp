// gated_aggregate: schemas, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/gated_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"
#include "ops/one_table.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// left: [N, T, d]. Returns out and 1 / (sum of gates + eps), [N, d] each.
using GatedAggregateSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& x, const at::Tensor& left,
                                                                   const at::Tensor& right,
                                                                   const OptionalTensor& edge_types,
                                                                   at::TensorList edges);

/// Gradients of x, left and right.
using GatedAggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_out, const at::Tensor& out, const at::Tensor& inverse_sum, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, at::TensorList edges);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "gated_aggregate(Tensor x, Tensor left, Tensor right, Tensor? edge_types, Tensor[] edges) -> (Tensor, Tensor)");
  library.def(
      "gated_aggregate_backward(Tensor grad_out, Tensor out, Tensor inverse_sum, Tensor x, Tensor left, Tensor right, "
      "Tensor? edge_types, Tensor[] edges) -> (Tensor, Tensor, Tensor)");
}

struct GatedAggregateFunction : torch::autograd::Function<GatedAggregateFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& left,
                               const at::Tensor& right, const OptionalTensor& edge_types, EdgeArgument edges) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<GatedAggregateSignature>("factorgcn::gated_aggregate");
    auto [out, inverse_sum] = operation.call(x, left, right, edge_types, edges.lists);
    context->save_for_backward(with_edges({out, inverse_sum, x, left, right, value_or_undefined(edge_types)}, edges));
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
      return {{}, {}, {}, {}, {}};
    }
    auto [grad_x, grad_left, grad_right] = operation.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4],
                                                          optional(saved[5]), saved_edges(saved));
    return {grad_x, grad_left, grad_right, {}, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("gated_aggregate", Differentiable<GatedAggregateFunction, GatedAggregateSignature>::call);
}

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
  const at::Tensor typed = left.dim() == 3 ? left : left.unsqueeze(1);
  if (edges.num_sources() != edges.num_targets()) {
    const OneTable nodes(edges);
    return nodes.of_targets(std::get<0>(operation.call(nodes.padded(x), nodes.padded(typed), nodes.padded(right),
                                                       optional(edge_types), edge_lists(nodes.edges()))));
  }
  return std::get<0>(operation.call(x, typed, right, optional(edge_types), edge_lists(edges)));
}

}  // namespace factorgcn
