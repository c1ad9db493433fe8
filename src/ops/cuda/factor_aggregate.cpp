// factor_aggregate on the GPU: checks and memory around the passes over edges.
//
// Cost: one launch forward, two backward (by source, by target); two more each where a graph has very long rows. While
// training, factor_aggregate_autograd.cpp takes the place of these.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/edge_argument.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

void run_forward(const Inputs& inputs, const std::vector<at::Tensor>& results, const at::Tensor& gate_sum,
                 cudaStream_t stream) {
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto p = inputs.problem<T>(true);
    for (std::size_t t = 0; t < results.size(); ++t) {
      p.tables[t].result = results[t].template data_ptr<T>();
    }
    p.gate_result = gate_sum.defined() ? gate_sum.data_ptr<T>() : nullptr;
    inputs.run(p, Pass::kForward, stream);
  });
}

std::tuple<at::Tensor, at::Tensor> factor_aggregate_cuda(const at::Tensor& h, const at::Tensor& left,
                                                         const at::Tensor& right, const OptionalTensor& source_weight,
                                                         const OptionalTensor& target_weight, at::TensorList edges,
                                                         double gate_scale) {
  const Inputs inputs("factor_aggregate", shared_table(h), left, right, source_weight, target_weight,
                      edges_of("factor_aggregate", edges), gate_scale);
  const OnDeviceOf device(inputs.left);
  at::Tensor out = inputs.new_result(h), gate_sum = inputs.new_gates();
  run_forward(inputs, {out}, gate_sum, device.stream);
  return {out, gate_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> factor_aggregate_pair_cuda(
    const at::Tensor& h, const at::Tensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale) {
  const Inputs inputs("factor_aggregate_pair", table_pair(h, q), left, right, source_weight, target_weight,
                      edges_of("factor_aggregate_pair", edges), gate_scale);
  const OnDeviceOf device(inputs.left);
  at::Tensor out = inputs.new_result(h), q_out = inputs.new_result(q), gate_sum = inputs.new_gates();
  run_forward(inputs, {out, q_out}, gate_sum, device.stream);
  return {out, q_out, gate_sum};
}

at::Tensor factor_aggregate_each_cuda(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                      const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                      at::TensorList edges, double gate_scale) {
  const Inputs inputs("factor_aggregate_each", table_of_each(p), left, right, source_weight, target_weight,
                      edges_of("factor_aggregate_each", edges), gate_scale);
  const OnDeviceOf device(inputs.left);
  at::Tensor out = inputs.new_result(p);
  run_forward(inputs, {out}, {}, device.stream);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> factor_aggregate_backward_cuda(
    const at::Tensor& grad_out, const OptionalTensor& grad_q_out, const OptionalTensor& grad_gate_sum,
    const at::Tensor& x, const OptionalTensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale) {
  const Inputs inputs("factor_aggregate_backward", table_or_pair(x, q), left, right, source_weight, target_weight,
                      edges_of("factor_aggregate_backward", edges), gate_scale);
  const OnDeviceOf device(inputs.left);
  const AggregateUpstream upstream(inputs, grad_out, grad_q_out, grad_gate_sum);
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& table : inputs.tables) {
    gradients.push_back(at::empty(table.sizes(), inputs.left.options()));
  }
  at::Tensor grad_left = inputs.new_gates(), grad_right = inputs.new_gates();
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    for (const Pass pass : {Pass::kSources, Pass::kTargets}) {
      auto p = inputs.problem<T>(pass == Pass::kTargets);
      for (std::size_t t = 0; t < gradients.size(); ++t) {
        p.tables[t].grad_out = upstream.tables[t].template data_ptr<T>();
        p.tables[t].result = gradients[t].template data_ptr<T>();
      }
      p.grad_gate_sum = values_or_null<T>(upstream.gate_sum);
      p.gate_result = (pass == Pass::kSources ? grad_left : grad_right).template data_ptr<T>();
      inputs.run(p, pass, device.stream);
    }
  });
  return {gradients[0], gradients.size() > 1 ? gradients[1] : at::Tensor(), grad_left, grad_right};
}

at::Tensor factor_gates_cuda(const at::Tensor& left, const at::Tensor& right, at::TensorList edges, double gate_scale) {
  const OnDeviceOf device(left);
  const Inputs inputs("factor_gates", {}, left, right, {}, {}, edges_of("factor_gates", edges), gate_scale);
  const at::Tensor gates = at::empty({inputs.edges.num_edges(), inputs.factors()}, left.options());
  with_floating(left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    compute_gates<T>(inputs.problem<T>(true), gates.data_ptr<T>(), device.stream);
  });
  check_launch();
  return gates;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("factor_aggregate", factor_aggregate_cuda);
  library.impl("factor_aggregate_pair", factor_aggregate_pair_cuda);
  library.impl("factor_aggregate_each", factor_aggregate_each_cuda);
  library.impl("factor_aggregate_backward", factor_aggregate_backward_cuda);
  library.impl("factor_gates", factor_gates_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
