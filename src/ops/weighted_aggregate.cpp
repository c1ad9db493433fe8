// weighted_aggregate and neighbour_sum: schemas, gradients and the C++ functions.
//
// The arithmetic lives in ops/cpu/ and ops/cuda/, found through the dispatcher.
#include "factorgcn/ops/weighted_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/weighted_aggregate_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  const std::string edges =
      "Tensor? edge_weight, Tensor? source_weight, Tensor? target_weight, Tensor in_offsets, Tensor in_sources, "
      "Tensor out_offsets, Tensor out_targets, Tensor in_to_out";
  library.def(("weighted_aggregate(Tensor x, " + edges + ") -> Tensor").c_str());
  library.def(("weighted_aggregate_backward(Tensor grad_out, Tensor x, " + edges + ") -> (Tensor, Tensor)").c_str());
}

struct WeightedAggregateFunction : torch::autograd::Function<WeightedAggregateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const OptionalTensor& edge_weight,
                            const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                            const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
                            const at::Tensor& out_targets, const at::Tensor& in_to_out) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<WeightedAggregateSignature>("factorgcn::weighted_aggregate");
    context->save_for_backward({x, value_or_undefined(edge_weight), value_or_undefined(source_weight),
                                value_or_undefined(target_weight), in_offsets, in_sources, out_offsets, out_targets,
                                in_to_out});
    return operation.call(x, edge_weight, source_weight, target_weight, in_offsets, in_sources, out_offsets,
                          out_targets, in_to_out);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("weighted_aggregate");
    static const auto operation =
        find_operation<WeightedAggregateBackwardSignature>("factorgcn::weighted_aggregate_backward");
    const variable_list saved = context->get_saved_variables();
    auto [grad_x, grad_weight] = operation.call(grads[0], saved[0], optional(saved[1]), optional(saved[2]),
                                                optional(saved[3]), saved[4], saved[5], saved[6], saved[7], saved[8]);
    return {grad_x, grad_weight, {}, {}, {}, {}, {}, {}, {}};
  }
};

at::Tensor weighted_aggregate_autograd(const at::Tensor& x, const OptionalTensor& edge_weight,
                                       const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                       const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                       const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                       const at::Tensor& in_to_out) {
  return WeightedAggregateFunction::apply(x, edge_weight, source_weight, target_weight, in_offsets, in_sources,
                                          out_offsets, out_targets, in_to_out);
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("weighted_aggregate", weighted_aggregate_autograd); }

at::Tensor call(const Adjacency& edges, const at::Tensor& x, const OptionalTensor& edge_weight,
                const NodeWeights& weights) {
  static const auto operation = find_operation<WeightedAggregateSignature>("factorgcn::weighted_aggregate");
  return operation.call(x, edge_weight, optional(weights.source), optional(weights.target), edges.in_offsets,
                        edges.in_sources, edges.out_offsets, edges.out_targets, edges.in_to_out);
}

}  // namespace

at::Tensor weighted_aggregate(const Adjacency& edges, const at::Tensor& x, const at::Tensor& edge_weight,
                              const NodeWeights& weights) {
  require(edge_weight.defined(), "weighted_aggregate: edge_weight is not defined; use neighbour_sum without weights");
  return call(edges, x, edge_weight, weights);
}

at::Tensor neighbour_sum(const Adjacency& edges, const at::Tensor& x, const NodeWeights& weights) {
  require(x.defined() && x.dim() == 2, "neighbour_sum: x must have shape [nodes, columns]");
  return call(edges, x, {}, weights);
}

at::Tensor mean_weights(const Adjacency& edges, at::ScalarType type) {
  const at::Tensor root = node_weights(edges, EdgeNorm::kSource, type).source;
  return root.square();
}

}  // namespace factorgcn
