// factor_aggregate and factor_aggregate_each: schemas, argument checks, gradients, and the C++ functions.
//
// The arithmetic lives in ops/cpu/factor_aggregate.cpp and ops/cuda/factor_aggregate.cpp, found through the dispatcher.
#include "factorgcn/ops/factor_aggregate.h"

#include <ATen/ops/ones.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "factorgcn/ops/edge_gates.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "ops/differentiable.h"
#include "ops/factor_aggregate_schema.h"
#include "ops/one_table.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  const std::string gated_edges =
      "Tensor left, Tensor right, Tensor? source_weight, Tensor? target_weight, Tensor[] edges, float gate_scale";
  const auto define = [&](const std::string& schema) { library.def(schema.c_str()); };
  define("factor_aggregate(Tensor h, " + gated_edges + ") -> (Tensor, Tensor)");
  define("factor_aggregate_pair(Tensor h, Tensor q, " + gated_edges + ") -> (Tensor, Tensor, Tensor)");
  define("factor_aggregate_each(Tensor p, " + gated_edges + ") -> Tensor");
  define("factor_aggregate_backward(Tensor grad_out, Tensor? grad_q_out, Tensor? grad_gate_sum, Tensor x, Tensor? q, " +
         gated_edges + ") -> (Tensor, Tensor, Tensor, Tensor)");
  define("degree_weights(Tensor offsets, bool single_precision) -> Tensor");
  define(
      "layer_weights(Tensor in_offsets, Tensor out_offsets, int edges, bool weighted, bool single_precision, "
      "int layers) -> (Tensor, Tensor, Tensor)");
  define("factor_gates(Tensor left, Tensor right, Tensor[] edges, float gate_scale) -> Tensor");
}

/// Keeps what the backward pass of each operation needs.
void save_inputs(AutogradContext* context, const at::Tensor& x, const at::Tensor& q, const at::Tensor& left,
                 const at::Tensor& right, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                 EdgeArgument edges, double gate_scale) {
  context->save_for_backward(
      with_edges({x, q, left, right, value_or_undefined(source_weight), value_or_undefined(target_weight)}, edges));
  context->saved_data["gate_scale"] = gate_scale;
  // A result that nothing depends on then has no gradient at all instead of one full of zeros.
  context->set_materialize_grads(false);
}

struct InputGradients {
  at::Tensor x, q, left, right;
};

InputGradients input_gradients(AutogradContext* context, const at::Tensor& grad_out, const at::Tensor& grad_q_out,
                               const at::Tensor& grad_gate_sum, const char* operation) {
  refuse_second_derivative(operation);
  static const auto backward = find_operation<FactorAggregateBackwardSignature>("factorgcn::factor_aggregate_backward");
  const variable_list saved = context->get_saved_variables();
  const at::Tensor &x = saved[0], &q = saved[1], &left = saved[2];
  const auto given_or_zeros = [&](const at::Tensor& gradient, const at::Tensor& table) {
    return gradient.defined() ? gradient : at::zeros({left.size(0), left.size(1), table.size(-1)}, table.options());
  };
  const OptionalTensor q_upstream = q.defined() ? OptionalTensor(given_or_zeros(grad_q_out, q)) : OptionalTensor();
  auto [grad_x, grad_q, grad_left, grad_right] = backward.call(
      given_or_zeros(grad_out, x), q_upstream, optional(grad_gate_sum), x, optional(q), left, saved[3],
      optional(saved[4]), optional(saved[5]), saved_edges(saved), context->saved_data["gate_scale"].toDouble());
  return {grad_x, grad_q, grad_left, grad_right};
}

struct FactorAggregateFunction : torch::autograd::Function<FactorAggregateFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& h, const at::Tensor& left,
                               const at::Tensor& right, const OptionalTensor& source_weight,
                               const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregateSignature>("factorgcn::factor_aggregate");
    save_inputs(context, h, {}, left, right, source_weight, target_weight, edges, gate_scale);
    auto [out, gate_sum] = operation.call(h, left, right, source_weight, target_weight, edges.lists, gate_scale);
    return {out, gate_sum};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto gradients = input_gradients(context, grads[0], {}, grads[1], "factor_aggregate");
    return {gradients.x, gradients.left, gradients.right, {}, {}, {}, {}};
  }
};

struct FactorAggregatePairFunction : torch::autograd::Function<FactorAggregatePairFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& h, const at::Tensor& q,
                               const at::Tensor& left, const at::Tensor& right, const OptionalTensor& source_weight,
                               const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregatePairSignature>("factorgcn::factor_aggregate_pair");
    save_inputs(context, h, q, left, right, source_weight, target_weight, edges, gate_scale);
    auto [out, q_out, gate_sum] =
        operation.call(h, q, left, right, source_weight, target_weight, edges.lists, gate_scale);
    return {out, q_out, gate_sum};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto gradients = input_gradients(context, grads[0], grads[1], grads[2], "factor_aggregate_pair");
    return {gradients.x, gradients.q, gradients.left, gradients.right, {}, {}, {}, {}};
  }
};

struct FactorAggregateEachFunction : torch::autograd::Function<FactorAggregateEachFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& p, const at::Tensor& left,
                            const at::Tensor& right, const OptionalTensor& source_weight,
                            const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregateEachSignature>("factorgcn::factor_aggregate_each");
    save_inputs(context, p, {}, left, right, source_weight, target_weight, edges, gate_scale);
    return operation.call(p, left, right, source_weight, target_weight, edges.lists, gate_scale);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const auto gradients = input_gradients(context, grads[0], {}, {}, "factor_aggregate_each");
    return {gradients.x, gradients.left, gradients.right, {}, {}, {}, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("factor_aggregate", Differentiable<FactorAggregateFunction, FactorAggregateSignature>::call);
  library.impl("factor_aggregate_pair",
               Differentiable<FactorAggregatePairFunction, FactorAggregatePairSignature>::call);
  library.impl("factor_aggregate_each",
               Differentiable<FactorAggregateEachFunction, FactorAggregateEachSignature>::call);
}

}  // namespace

const char* edge_norm_name(EdgeNorm norm) {
  switch (norm) {
    case EdgeNorm::kNone:
      return "none";
    case EdgeNorm::kSource:
      return "source";
    case EdgeNorm::kSymmetric:
      return "symmetric";
  }
  return "unknown";
}

EdgeNorm edge_norm_from_name(const std::string& name) {
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
    if (name == edge_norm_name(norm)) {
      return norm;
    }
  }
  throw UsageError(concat("norm is \"", name, "\": choose none, source or symmetric"));
}

namespace {

void check_weight_type(const char* function, at::ScalarType type) {
  require(type == at::kFloat || type == at::kDouble, function, ": type ", type,
          " is not supported; use float32 or float64");
}

}  // namespace

NodeWeights node_weights(const Adjacency& edges, EdgeNorm norm, at::ScalarType type) {
  if (norm == EdgeNorm::kNone) {
    return {};
  }
  check_weight_type("node_weights", type);
  static const auto operation = find_operation<DegreeWeightsSignature>("factorgcn::degree_weights");
  at::Tensor weight = operation.call(edges.in_offsets, type == at::kFloat);
  return norm == EdgeNorm::kSource ? NodeWeights{weight, {}} : NodeWeights{weight, weight};
}

NodeWeights weights_with_edges(const Adjacency& edges, EdgeNorm norm, const at::Tensor& edge_weight,
                               at::ScalarType type) {
  if (!edge_weight.defined()) {
    return node_weights(edges, norm, type);
  }
  NodeWeights weights;
  weights.edge = edge_weight.to(type);
  if (norm != EdgeNorm::kNone) {
    const at::Tensor degree = segment_sum(weights.edge.unsqueeze(1), edges.in_offsets).squeeze(1);
    weights.source = degree.masked_fill(degree.le(0), 1.0).rsqrt();
    weights.target = norm == EdgeNorm::kSymmetric ? weights.source : at::Tensor();
  }
  return weights;
}

std::vector<NodeWeights> layer_weights(const Adjacency& edges, EdgeNorm norm, at::ScalarType type,
                                       std::int64_t layers) {
  require(layers >= 0, "layer_weights: ", layers, " layers asked for; give a number that is not negative");
  check_weight_type("layer_weights", type);
  static const auto operation = find_operation<LayerWeightsSignature>("factorgcn::layer_weights");
  const auto [weight, targets, sources] = operation.call(edges.in_offsets, edges.out_offsets, edges.num_edges(),
                                                         norm != EdgeNorm::kNone, type == at::kFloat, layers);
  std::vector<NodeWeights> all(static_cast<std::size_t>(layers));
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    all[layer] = {weight, norm == EdgeNorm::kSymmetric ? weight : at::Tensor(), {targets, sources, layer}};
  }
  return all;
}

namespace {

/// The sums where edges have weights: of gates as values.
struct WeightedGates {
  const Adjacency& edges;
  const NodeWeights& weights;
  at::Tensor gates;  // [E, K]; weighted_aggregate() multiplies by the weights of edges

  WeightedGates(const Adjacency& given_edges, const at::Tensor& left, const at::Tensor& right,
                const NodeWeights& given_weights, double gate_scale)
      : edges(given_edges), weights(given_weights), gates(edge_gates(edges, left, right, gate_scale)) {}

  at::Tensor sum(const at::Tensor& table) const { return weighted_aggregate(edges, table, gates, weights); }
  at::Tensor sum_of_gates() const { return sum(at::ones({edges.num_sources(), 1}, gates.options())).squeeze(2); }
};

NodeWeights padded_weights(const OneTable& nodes, const NodeWeights& weights) {
  return {nodes.padded(weights.source), nodes.padded(weights.target)};
}

}  // namespace

FactorAggregate factor_aggregate(const Adjacency& edges, const at::Tensor& h, const at::Tensor& left,
                                 const at::Tensor& right, const NodeWeights& weights, double gate_scale) {
  if (weights.edge.defined()) {
    const WeightedGates gates(edges, left, right, weights, gate_scale);
    return {gates.sum(h), gates.sum_of_gates()};
  }
  if (OneTable::is_needed(edges, h.device())) {
    const OneTable nodes(edges);
    const FactorAggregate result = factor_aggregate(nodes.edges(), nodes.padded(h), nodes.padded(left),
                                                    nodes.padded(right), padded_weights(nodes, weights), gate_scale);
    return {nodes.of_targets(result.out), nodes.of_targets(result.gate_sum)};
  }
  static const auto operation = find_operation<FactorAggregateSignature>("factorgcn::factor_aggregate");
  auto [out, gate_sum] =
      operation.call(h, left, right, optional(weights.source), optional(weights.target), edge_lists(edges), gate_scale);
  return {out, gate_sum};
}

FactorAggregatePair factor_aggregate_pair(const Adjacency& edges, const at::Tensor& h, const at::Tensor& q,
                                          const at::Tensor& left, const at::Tensor& right, const NodeWeights& weights,
                                          double gate_scale) {
  if (weights.edge.defined()) {
    const WeightedGates gates(edges, left, right, weights, gate_scale);
    return {gates.sum(h), gates.sum(q), gates.sum_of_gates()};
  }
  if (OneTable::is_needed(edges, h.device())) {
    const OneTable nodes(edges);
    const FactorAggregatePair result =
        factor_aggregate_pair(nodes.edges(), nodes.padded(h), nodes.padded(q), nodes.padded(left), nodes.padded(right),
                              padded_weights(nodes, weights), gate_scale);
    return {nodes.of_targets(result.out), nodes.of_targets(result.q_out), nodes.of_targets(result.gate_sum)};
  }
  static const auto operation = find_operation<FactorAggregatePairSignature>("factorgcn::factor_aggregate_pair");
  auto [out, q_out, gate_sum] = operation.call(h, q, left, right, optional(weights.source), optional(weights.target),
                                               edge_lists(edges), gate_scale);
  return {out, q_out, gate_sum};
}

at::Tensor factor_aggregate_each(const Adjacency& edges, const at::Tensor& p, const at::Tensor& left,
                                 const at::Tensor& right, const NodeWeights& weights, double gate_scale) {
  if (weights.edge.defined()) {
    return WeightedGates(edges, left, right, weights, gate_scale).sum(p);
  }
  if (OneTable::is_needed(edges, p.device())) {
    const OneTable nodes(edges);
    return nodes.of_targets(factor_aggregate_each(nodes.edges(), nodes.padded(p), nodes.padded(left),
                                                  nodes.padded(right), padded_weights(nodes, weights), gate_scale));
  }
  static const auto operation = find_operation<FactorAggregateEachSignature>("factorgcn::factor_aggregate_each");
  return operation.call(p, left, right, optional(weights.source), optional(weights.target), edge_lists(edges),
                        gate_scale);
}

at::Tensor factor_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right, double gate_scale) {
  static const auto operation = find_operation<FactorGatesSignature>("factorgcn::factor_gates");
  at::NoGradGuard no_gradient;
  if (OneTable::is_needed(edges, left.device())) {
    const OneTable nodes(edges);
    return operation.call(nodes.padded(left), nodes.padded(right), edge_lists(nodes.edges()), gate_scale);
  }
  return operation.call(left, right, edge_lists(edges), gate_scale);
}

}  // namespace factorgcn
