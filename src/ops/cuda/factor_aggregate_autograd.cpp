// factor_aggregate and its twins on the GPU while gradients are wanted.
//
// The forward pass also keeps the sums with the gates' slopes, as many values as its results, so that the backward pass
// walks the edges once, by source, instead of twice.
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/edge_argument.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Serves all three; `q` is given for the pair alone, and the gate sum is a result unless x is [N, K, d].
struct SlopedAggregateFunction : torch::autograd::Function<SlopedAggregateFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const OptionalTensor& q,
                               const at::Tensor& left, const at::Tensor& right, const OptionalTensor& source_weight,
                               const OptionalTensor& target_weight, EdgeArgument edges, double gate_scale) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const OnDeviceOf device(x);
    const Inputs inputs("factor_aggregate", table_or_pair(x, q), left, right, source_weight, target_weight,
                        edges_of("factor_aggregate", edges.lists), gate_scale);
    variable_list results, slopes;
    for (const at::Tensor& table : inputs.tables) {
      results.push_back(inputs.new_result(table));
      slopes.push_back(inputs.new_result(table));
    }
    at::Tensor gate_sum, slope_sum;
    if (x.dim() == 2) {
      gate_sum = inputs.new_gates();
      slope_sum = inputs.new_gates();
    }
    with_floating(inputs.left, inputs.operation, [&](auto scalar) {
      using T = decltype(scalar);
      auto p = inputs.template problem<T>(true);
      for (std::size_t t = 0; t < results.size(); ++t) {
        p.tables[t].result = results[t].template data_ptr<T>();
        p.tables[t].slopes = slopes[t].template data_ptr<T>();
      }
      p.gate_result = gate_sum.defined() ? gate_sum.data_ptr<T>() : nullptr;
      p.slope_sum = slope_sum.defined() ? slope_sum.data_ptr<T>() : nullptr;
      inputs.run(p, Pass::kSloped, device.stream);
    });
    context->save_for_backward(with_edges(
        {x, value_or_undefined(q), left, right, value_or_undefined(source_weight), value_or_undefined(target_weight),
         slopes[0], slopes.size() > 1 ? slopes[1] : at::Tensor(), slope_sum},
        edges));
    context->saved_data["gate_scale"] = gate_scale;
    context->set_materialize_grads(false);
    if (gate_sum.defined()) {
      results.push_back(gate_sum);
    }
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("factor_aggregate");
    const variable_list saved = context->get_saved_variables();
    constexpr const char* kName = "factor_aggregate_backward";
    const Inputs inputs(kName, table_or_pair(saved[0], optional(saved[1])), saved[2], saved[3], optional(saved[4]),
                        optional(saved[5]), edges_of(kName, saved_edges(saved)),
                        context->saved_data["gate_scale"].toDouble());
    const OnDeviceOf device(inputs.left);
    const std::vector<at::Tensor>& tables = inputs.tables;
    variable_list upstream, gradients;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      upstream.push_back(grads[t].defined() ? grads[t].contiguous()
                                            : at::zeros({inputs.nodes(), inputs.factors(), inputs.width(tables[t])},
                                                        inputs.left.options()));
      gradients.push_back(at::empty(tables[t].sizes(), inputs.left.options()));
    }
    const at::Tensor slope_sum = saved[8];
    at::Tensor gate_upstream = slope_sum.defined() ? grads[tables.size()] : at::Tensor();
    gate_upstream = gate_upstream.defined() ? gate_upstream.contiguous() : gate_upstream;
    const at::Tensor grad_left = inputs.new_gates(), grad_right = inputs.new_gates();
    with_floating(inputs.left, inputs.operation, [&](auto scalar) {
      using T = decltype(scalar);
      auto p = inputs.template problem<T>(false);
      for (std::size_t t = 0; t < tables.size(); ++t) {
        p.tables[t].grad_out = upstream[t].template data_ptr<T>();
        p.tables[t].result = gradients[t].template data_ptr<T>();
        p.tables[t].slopes = saved[6 + t].template data_ptr<T>();
      }
      p.grad_gate_sum = values_or_null<T>(gate_upstream);
      p.slope_sum = slope_sum.defined() ? slope_sum.data_ptr<T>() : nullptr;
      p.gate_result = grad_left.data_ptr<T>();
      p.target_result = grad_right.data_ptr<T>();
      inputs.run(p, Pass::kSources, device.stream);
    });
    return {gradients[0], gradients.size() > 1 ? gradients[1] : at::Tensor(), grad_left, grad_right, {}, {}, {}, {}};
  }
};

/// Nothing is kept where no gradient is wanted.
bool wants_gradient(const std::vector<at::Tensor>& tables, const at::Tensor& left, const at::Tensor& right) {
  bool wanted = left.requires_grad() || right.requires_grad();
  for (const at::Tensor& table : tables) {
    wanted = wanted || table.requires_grad();
  }
  return wanted && at::GradMode::is_enabled();
}

std::tuple<at::Tensor, at::Tensor> factor_aggregate_autograd(const at::Tensor& h, const at::Tensor& left,
                                                             const at::Tensor& right,
                                                             const OptionalTensor& source_weight,
                                                             const OptionalTensor& target_weight, at::TensorList edges,
                                                             double gate_scale) {
  if (!wants_gradient(shared_table(h), left, right)) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregateSignature>("factorgcn::factor_aggregate");
    return operation.call(h, left, right, source_weight, target_weight, edges, gate_scale);
  }
  auto results = SlopedAggregateFunction::apply(h, OptionalTensor(), left, right, source_weight, target_weight,
                                                EdgeArgument{edges}, gate_scale);
  return {results[0], results[1]};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> factor_aggregate_pair_autograd(
    const at::Tensor& h, const at::Tensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale) {
  if (!wants_gradient(table_pair(h, q), left, right)) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregatePairSignature>("factorgcn::factor_aggregate_pair");
    return operation.call(h, q, left, right, source_weight, target_weight, edges, gate_scale);
  }
  auto results = SlopedAggregateFunction::apply(h, OptionalTensor(q), left, right, source_weight, target_weight,
                                                EdgeArgument{edges}, gate_scale);
  return {results[0], results[1], results[2]};
}

at::Tensor factor_aggregate_each_autograd(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                          const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                          at::TensorList edges, double gate_scale) {
  if (!wants_gradient(table_of_each(p), left, right)) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorAggregateEachSignature>("factorgcn::factor_aggregate_each");
    return operation.call(p, left, right, source_weight, target_weight, edges, gate_scale);
  }
  return SlopedAggregateFunction::apply(p, OptionalTensor(), left, right, source_weight, target_weight,
                                        EdgeArgument{edges}, gate_scale)[0];
}

TORCH_LIBRARY_IMPL(factorgcn, AutogradCUDA, library) {
  library.impl("factor_aggregate", factor_aggregate_autograd);
  library.impl("factor_aggregate_pair", factor_aggregate_pair_autograd);
  library.impl("factor_aggregate_each", factor_aggregate_each_autograd);
}

}  // namespace
}  // namespace factorgcn::cuda
