// weighted_aggregate and neighbour_sum: schemas, gradients and the C++ functions.
//
// The arithmetic lives in ops/cpu/ and ops/cuda/, found through the dispatcher.
#include "factorgcn/ops/weighted_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"
#include "ops/one_table.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Without edge weights x is [N, d] and so is the result.
using WeightedAggregateSignature = at::Tensor(const at::Tensor& x, const OptionalTensor& edge_weight,
                                              const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                              at::TensorList edges);

/// Gradients of x and of the edge weights (undefined where there are none).
using WeightedAggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& grad_out, const at::Tensor& x, const OptionalTensor& edge_weight,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "weighted_aggregate(Tensor x, Tensor? edge_weight, Tensor? source_weight, Tensor? target_weight, Tensor[] edges) "
      "-> Tensor");
  library.def(
      "weighted_aggregate_backward(Tensor grad_out, Tensor x, Tensor? edge_weight, Tensor? source_weight, "
      "Tensor? target_weight, Tensor[] edges) -> (Tensor, Tensor)");
}

struct WeightedAggregateFunction : torch::autograd::Function<WeightedAggregateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const OptionalTensor& edge_weight,
                            const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                            EdgeArgument edges) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<WeightedAggregateSignature>("factorgcn::weighted_aggregate");
    context->save_for_backward(with_edges(
        {x, value_or_undefined(edge_weight), value_or_undefined(source_weight), value_or_undefined(target_weight)},
        edges));
    return operation.call(x, edge_weight, source_weight, target_weight, edges.lists);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("weighted_aggregate");
    static const auto operation =
        find_operation<WeightedAggregateBackwardSignature>("factorgcn::weighted_aggregate_backward");
    const variable_list saved = context->get_saved_variables();
    auto [grad_x, grad_weight] = operation.call(grads[0], saved[0], optional(saved[1]), optional(saved[2]),
                                                optional(saved[3]), saved_edges(saved));
    return {grad_x, grad_weight, {}, {}, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("weighted_aggregate", Differentiable<WeightedAggregateFunction, WeightedAggregateSignature>::call);
}

at::Tensor weighted_sum(const Adjacency& edges, const at::Tensor& x, const OptionalTensor& edge_weight,
                        const NodeWeights& weights) {
  static const auto operation = find_operation<WeightedAggregateSignature>("factorgcn::weighted_aggregate");
  if (OneTable::is_needed(edges, x.device())) {
    const OneTable nodes(edges);
    return nodes.of_targets(operation.call(nodes.padded(x), edge_weight, optional(nodes.padded(weights.source)),
                                           optional(nodes.padded(weights.target)), edge_lists(nodes.edges())));
  }
  return operation.call(x, edge_weight, optional(weights.source), optional(weights.target), edge_lists(edges));
}

}  // namespace

at::Tensor weighted_aggregate(const Adjacency& edges, const at::Tensor& x, const at::Tensor& edge_weight,
                              const NodeWeights& weights) {
  require(edge_weight.defined(), "weighted_aggregate: edge_weight is not defined; use neighbour_sum without weights");
  return weighted_sum(edges, x, weights.edge.defined() ? edge_weight * weights.edge.unsqueeze(1) : edge_weight,
                      weights);
}

at::Tensor neighbour_sum(const Adjacency& edges, const at::Tensor& x, const NodeWeights& weights) {
  require(x.defined() && x.dim() == 2, "neighbour_sum: x must have shape [nodes, columns]");
  return weights.edge.defined() ? weighted_sum(edges, x, weights.edge.unsqueeze(1), weights).squeeze(1)
                                : weighted_sum(edges, x, {}, weights);
}

at::Tensor mean_weights(const Adjacency& edges, at::ScalarType type) {
  const at::Tensor root = node_weights(edges, EdgeNorm::kSource, type).source;
  return root.square();
}

}  // namespace factorgcn
