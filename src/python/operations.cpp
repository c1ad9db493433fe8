// The operations that Python's layers are made of, on checked edges (python/edges.h) within one table of nodes or
// between two:
//
//   factor_aggregate, factor_aggregate_each, factor_gates   ops/factor_aggregate.h
//   weighted_aggregate                                      ops/weighted_aggregate.h
//
// Ordinary tensors take the library's own functions with the library's own gradients. Tensors that stand for others
// while torch traces a program (torch.compile, opcheck) meet forward and backward operations instead that look at no
// value and no size before a kernel does; python/factorgcn/fakes.py tells torch the shapes of their results.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "ops/differentiable.h"
#include "ops/edge_argument.h"
#include "ops/factor_aggregate_schema.h"
#include "ops/one_table.h"

namespace factorgcn::python {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using GatesBackwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& grad, const at::Tensor& gates,
                                                                  at::TensorList edges, double gate_scale);
using AggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const OptionalTensor& grad_out, const OptionalTensor& grad_gate_sum, const at::Tensor& x, const at::Tensor& left,
    const at::Tensor& right, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    at::TensorList edges, double gate_scale);
using WeightedSignature = at::Tensor(const at::Tensor& x, const at::Tensor& edge_values,
                                     const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                     at::TensorList edges);
using WeightedBackwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& grad_out, const at::Tensor& x,
                                                                     const at::Tensor& edge_values,
                                                                     const OptionalTensor& source_weight,
                                                                     const OptionalTensor& target_weight,
                                                                     at::TensorList edges);

TORCH_LIBRARY(factorgcn_python, library) {
  const std::string gated =
      "Tensor left, Tensor right, Tensor? source_weight, Tensor? target_weight, Tensor[] edges, float gate_scale";
  const std::string weighted =
      "Tensor x, Tensor edge_values, Tensor? source_weight, Tensor? target_weight, Tensor[] edges";
  const auto define = [&](const std::string& schema) { library.def(schema.c_str()); };
  define("factor_aggregate(Tensor h, " + gated + ") -> (Tensor, Tensor)");
  define("factor_aggregate_each(Tensor p, " + gated + ") -> Tensor");
  define("factor_aggregate_backward(Tensor? grad_out, Tensor? grad_gate_sum, Tensor x, " + gated +
         ") -> (Tensor, Tensor, Tensor)");
  define("factor_gates(Tensor left, Tensor right, Tensor[] edges, float gate_scale) -> Tensor");
  define("factor_gates_backward(Tensor grad, Tensor gates, Tensor[] edges, float gate_scale) -> (Tensor, Tensor)");
  define("weighted_aggregate(" + weighted + ") -> Tensor");
  define("weighted_aggregate_backward(Tensor grad_out, " + weighted + ") -> (Tensor, Tensor)");
  library.def("num_threads() -> int", [] { return std::int64_t{factorgcn::num_threads()}; });
  library.def("set_num_threads(int threads) -> ()", [](std::int64_t threads) {
    factorgcn::set_num_threads(threads == 0 ? available_cores() : static_cast<int>(threads));
  });
}

NodeWeights given_weights(const OptionalTensor& source, const OptionalTensor& target) {
  return {value_or_undefined(source), value_or_undefined(target)};
}

/// Whether a tensor stands for another while torch traces a program, or Python looks at every operation (a dispatch
/// mode), as opcheck does.
bool any_traced(std::initializer_list<const at::Tensor*> tensors) {
  if (c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::Python)) {
    return true;
  }
  return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor* tensor) {
    const c10::DispatchKeySet keys = tensor->key_set();
    return keys.has(c10::DispatchKey::Python) || keys.has(c10::DispatchKey::Functionalize) ||
           keys.has(c10::DispatchKey::Meta);
  });
}

// ---- kernels: for the CPU and for GPUs ------------------------------------------------------------------------------

std::tuple<at::Tensor, at::Tensor> aggregate(const at::Tensor& h, const at::Tensor& left, const at::Tensor& right,
                                             const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                             at::TensorList edges, double gate_scale) {
  const auto result = factorgcn::factor_aggregate(edges_of("factor_aggregate", edges), h, left, right,
                                                  given_weights(source_weight, target_weight), gate_scale);
  return {result.out, result.gate_sum};
}

at::Tensor aggregate_each(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                          const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                          at::TensorList edges, double gate_scale) {
  return factorgcn::factor_aggregate_each(edges_of("factor_aggregate_each", edges), p, left, right,
                                          given_weights(source_weight, target_weight), gate_scale);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> aggregate_backward(
    const OptionalTensor& grad_out, const OptionalTensor& grad_gate_sum, const at::Tensor& x, const at::Tensor& left,
    const at::Tensor& right, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    at::TensorList edges, double gate_scale) {
  static const auto operation =
      find_operation<FactorAggregateBackwardSignature>("factorgcn::factor_aggregate_backward");
  const Adjacency adjacency = edges_of("factor_aggregate_backward", edges);
  const at::Tensor upstream =
      grad_out.has_value() ? *grad_out : at::zeros({right.size(0), right.size(1), x.size(-1)}, x.options());
  if (!OneTable::is_needed(adjacency, x.device())) {
    auto [grad_x, none, grad_left, grad_right] = operation.call(upstream, {}, grad_gate_sum, x, {}, left, right,
                                                                source_weight, target_weight, edges, gate_scale);
    return {grad_x, grad_left, grad_right};
  }
  const OneTable nodes(adjacency);
  const auto padded = [&](const OptionalTensor& table) { return optional(nodes.padded(value_or_undefined(table))); };
  auto [grad_x, none, grad_left, grad_right] = operation.call(
      nodes.padded(upstream), {}, padded(grad_gate_sum), nodes.padded(x), {}, nodes.padded(left), nodes.padded(right),
      padded(source_weight), padded(target_weight), edge_lists(nodes.edges()), gate_scale);
  return {grad_x.narrow(0, 0, x.size(0)), grad_left.narrow(0, 0, left.size(0)), grad_right.narrow(0, 0, right.size(0))};
}

at::Tensor gates(const at::Tensor& left, const at::Tensor& right, at::TensorList edges, double gate_scale) {
  return factorgcn::factor_gates(edges_of("factor_gates", edges), left, right, gate_scale);
}

/// Sums at both ends of the gradients of the gates' logits, c (1 - c) * gate_scale.
std::tuple<at::Tensor, at::Tensor> gates_backward(const at::Tensor& grad, const at::Tensor& gate, at::TensorList edges,
                                                  double gate_scale) {
  const Adjacency adjacency = edges_of("factor_gates_backward", edges);
  const at::Tensor logits = grad * gate * (1 - gate) * gate_scale;
  at::Tensor out_to_in = at::empty_like(adjacency.in_to_out);
  out_to_in.index_copy_(0, adjacency.in_to_out, at::arange(out_to_in.numel(), out_to_in.options()));
  return {segment_sum(logits.index_select(0, out_to_in), adjacency.out_offsets),
          segment_sum(logits.contiguous(), adjacency.in_offsets)};
}

at::Tensor weighted(const at::Tensor& x, const at::Tensor& edge_values, const OptionalTensor& source_weight,
                    const OptionalTensor& target_weight, at::TensorList edges) {
  return factorgcn::weighted_aggregate(edges_of("weighted_aggregate", edges), x, edge_values,
                                       given_weights(source_weight, target_weight));
}

std::tuple<at::Tensor, at::Tensor> weighted_backward(const at::Tensor& grad_out, const at::Tensor& x,
                                                     const at::Tensor& edge_values, const OptionalTensor& source_weight,
                                                     const OptionalTensor& target_weight, at::TensorList edges) {
  using Signature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, const OptionalTensor&,
                                                       const OptionalTensor&, const OptionalTensor&, at::TensorList);
  static const auto operation = find_operation<Signature>("factorgcn::weighted_aggregate_backward");
  const Adjacency adjacency = edges_of("weighted_aggregate_backward", edges);
  if (!OneTable::is_needed(adjacency, x.device())) {
    return operation.call(grad_out, x, edge_values, source_weight, target_weight, edges);
  }
  const OneTable nodes(adjacency);
  const auto padded = [&](const OptionalTensor& table) { return optional(nodes.padded(value_or_undefined(table))); };
  auto [grad_x, grad_values] = operation.call(nodes.padded(grad_out), nodes.padded(x), edge_values,
                                              padded(source_weight), padded(target_weight), edge_lists(nodes.edges()));
  return {grad_x.narrow(0, 0, x.size(0)), grad_values};
}

template <class Library>
void register_kernels(Library& library) {
  library.impl("factor_aggregate", aggregate);
  library.impl("factor_aggregate_each", aggregate_each);
  library.impl("factor_aggregate_backward", aggregate_backward);
  library.impl("factor_gates", gates);
  library.impl("factor_gates_backward", gates_backward);
  library.impl("weighted_aggregate", weighted);
  library.impl("weighted_aggregate_backward", weighted_backward);
}

TORCH_LIBRARY_IMPL(factorgcn_python, CPU, library) { register_kernels(library); }
TORCH_LIBRARY_IMPL(factorgcn_python, CUDA, library) { register_kernels(library); }

// ---- gradients ------------------------------------------------------------------------------------------------------

void save_inputs(AutogradContext* context, const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                 const OptionalTensor& source_weight, const OptionalTensor& target_weight, EdgeArgument edges,
                 double gate_scale) {
  context->save_for_backward(
      with_edges({x, left, right, value_or_undefined(source_weight), value_or_undefined(target_weight)}, edges));
  context->saved_data["gate_scale"] = gate_scale;
  context->set_materialize_grads(false);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> input_gradients(AutogradContext* context, const at::Tensor& grad_out,
                                                               const at::Tensor& grad_gate_sum) {
  refuse_second_derivative("factor_aggregate");
  static const auto operation =
      find_operation<AggregateBackwardSignature>("factorgcn_python::factor_aggregate_backward");
  const variable_list saved = context->get_saved_variables();
  return operation.call(optional(grad_out), optional(grad_gate_sum), saved[0], saved[1], saved[2], optional(saved[3]),
                        optional(saved[4]), saved_edges(saved), context->saved_data["gate_scale"].toDouble());
}

struct TracedAggregate : torch::autograd::Function<TracedAggregate> {
  static variable_list forward(AutogradContext* context, const at::Tensor& h, const at::Tensor& left,
                               const at::Tensor& right, const OptionalTensor& source_weight,
                               const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregateSignature>("factorgcn_python::factor_aggregate");
    save_inputs(context, h, left, right, source_weight, target_weight, edges, gate_scale);
    auto [out, gate_sum] = operation.call(h, left, right, source_weight, target_weight, edges.lists, gate_scale);
    return {out, gate_sum};
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    auto [h, left, right] = input_gradients(context, grads[0], grads[1]);
    return {h, left, right, {}, {}, {}, {}};
  }
};

struct TracedAggregateEach : torch::autograd::Function<TracedAggregateEach> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& p, const at::Tensor& left,
                            const at::Tensor& right, const OptionalTensor& source_weight,
                            const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation =
        find_operation<FactorAggregateEachSignature>("factorgcn_python::factor_aggregate_each");
    save_inputs(context, p, left, right, source_weight, target_weight, edges, gate_scale);
    return operation.call(p, left, right, source_weight, target_weight, edges.lists, gate_scale);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    auto [p, left, right] = input_gradients(context, grads[0], {});
    return {p, left, right, {}, {}, {}, {}};
  }
};

struct GatesFunction : torch::autograd::Function<GatesFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left, const at::Tensor& right,
                            EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorGatesSignature>("factorgcn_python::factor_gates");
    at::Tensor result = operation.call(left, right, edges.lists, gate_scale);
    context->save_for_backward(with_edges({result}, edges));
    context->saved_data["gate_scale"] = gate_scale;
    return result;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("factor_gates");
    static const auto operation = find_operation<GatesBackwardSignature>("factorgcn_python::factor_gates_backward");
    const variable_list saved = context->get_saved_variables();
    auto [left, right] =
        operation.call(grads[0], saved[0], saved_edges(saved), context->saved_data["gate_scale"].toDouble());
    return {left, right, {}, {}};
  }
};

struct WeightedFunction : torch::autograd::Function<WeightedFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& edge_values,
                            const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                            EdgeArgument edges) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<WeightedSignature>("factorgcn_python::weighted_aggregate");
    context->save_for_backward(
        with_edges({x, edge_values, value_or_undefined(source_weight), value_or_undefined(target_weight)}, edges));
    return operation.call(x, edge_values, source_weight, target_weight, edges.lists);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("weighted_aggregate");
    static const auto operation =
        find_operation<WeightedBackwardSignature>("factorgcn_python::weighted_aggregate_backward");
    const variable_list saved = context->get_saved_variables();
    auto [x, values] =
        operation.call(grads[0], saved[0], saved[1], optional(saved[2]), optional(saved[3]), saved_edges(saved));
    return {x, values, {}, {}, {}};
  }
};

std::tuple<at::Tensor, at::Tensor> aggregate_with_gradient(const at::Tensor& h, const at::Tensor& left,
                                                           const at::Tensor& right, const OptionalTensor& source_weight,
                                                           const OptionalTensor& target_weight, at::TensorList edges,
                                                           double gate_scale) {
  return (any_traced({&h, &left, &right}) ? Differentiable<TracedAggregate, FactorAggregateSignature>::call
                                          : aggregate)(h, left, right, source_weight, target_weight, edges, gate_scale);
}

at::Tensor aggregate_each_with_gradient(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                        const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                        at::TensorList edges, double gate_scale) {
  return (any_traced({&p, &left, &right})
              ? Differentiable<TracedAggregateEach, FactorAggregateEachSignature>::call
              : aggregate_each)(p, left, right, source_weight, target_weight, edges, gate_scale);
}

TORCH_LIBRARY_IMPL(factorgcn_python, Autograd, library) {
  library.impl("factor_aggregate", aggregate_with_gradient);
  library.impl("factor_aggregate_each", aggregate_each_with_gradient);
  library.impl("factor_gates", Differentiable<GatesFunction, FactorGatesSignature>::call);
  library.impl("weighted_aggregate", Differentiable<WeightedFunction, WeightedSignature>::call);
}

}  // namespace
}  // namespace factorgcn::python
