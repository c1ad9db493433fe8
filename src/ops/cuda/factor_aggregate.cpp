// factor_aggregate on the GPU: checks and memory around the passes over edges.
//
// Cost: one launch forward, two backward (by source, by target); two more each where a graph has very long rows. While
// training, factor_aggregate_autograd.cpp takes the place of these.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/aggregate_inputs.h"
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
                                                         const OptionalTensor& target_weight,
                                                         const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                                         const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                                         const at::Tensor& in_to_out, double gate_scale) {
  require(h.defined() && h.dim() == 2, "factor_aggregate: h must have shape [nodes, columns]");
  const OnDeviceOf device(h);
  const Inputs inputs("factor_aggregate", {h}, left, right, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out}, gate_scale);
  at::Tensor out = inputs.new_result(h), gate_sum = inputs.new_gates();
  run_forward(inputs, {out}, gate_sum, device.stream);
  return {out, gate_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> factor_aggregate_pair_cuda(
    const at::Tensor& h, const at::Tensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out, double gate_scale) {
  require(h.defined() && h.dim() == 2 && q.defined() && q.dim() == 2,
          "factor_aggregate_pair: h and q must have shape [nodes, columns]");
  const OnDeviceOf device(h);
  const Inputs inputs("factor_aggregate_pair", {h, q}, left, right, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out}, gate_scale);
  at::Tensor out = inputs.new_result(h), q_out = inputs.new_result(q), gate_sum = inputs.new_gates();
  run_forward(inputs, {out, q_out}, gate_sum, device.stream);
  return {out, q_out, gate_sum};
}

at::Tensor factor_aggregate_each_cuda(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                      const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                      const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                      const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                      const at::Tensor& in_to_out, double gate_scale) {
  require(p.defined() && p.dim() == 3, "factor_aggregate_each: p must have shape [nodes, factors, columns]");
  const OnDeviceOf device(p);
  const Inputs inputs("factor_aggregate_each", {p}, left, right, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out}, gate_scale);
  at::Tensor out = inputs.new_result(p);
  run_forward(inputs, {out}, {}, device.stream);
  return out;
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> factor_aggregate_backward_cuda(
    const at::Tensor& grad_out, const OptionalTensor& grad_q_out, const OptionalTensor& grad_gate_sum,
    const at::Tensor& x, const OptionalTensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out, double gate_scale) {
  std::vector<at::Tensor> tables{x}, upstream{grad_out};
  if (q.has_value()) {
    require(grad_q_out.has_value(), "factor_aggregate_backward: q was given without grad_q_out");
    tables.push_back(*q);
    upstream.push_back(*grad_q_out);
  }
  const OnDeviceOf device(x);
  const Inputs inputs("factor_aggregate_backward", tables, left, right, source_weight, target_weight,
                      {in_offsets, in_sources, out_offsets, out_targets, in_to_out}, gate_scale);
  require(out_offsets.defined(), "factor_aggregate_backward: out_offsets is not defined");
  std::vector<at::Tensor> gradients;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    check_table(inputs.operation, t == 0 ? "grad_out" : "grad_q_out", upstream[t],
                {inputs.nodes(), inputs.factors(), inputs.width(tables[t])}, inputs.left);
    upstream[t] = upstream[t].contiguous();
    gradients.push_back(at::empty(tables[t].sizes(), inputs.left.options()));
  }
  at::Tensor gate_upstream = value_or_undefined(grad_gate_sum);
  if (gate_upstream.defined()) {
    check_table(inputs.operation, "grad_gate_sum", gate_upstream, {inputs.nodes(), inputs.factors()}, inputs.left);
    gate_upstream = gate_upstream.contiguous();
  }
  at::Tensor grad_left = inputs.new_gates(), grad_right = inputs.new_gates();
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    for (const Pass pass : {Pass::kSources, Pass::kTargets}) {
      auto p = inputs.problem<T>(pass == Pass::kTargets);
      for (std::size_t t = 0; t < tables.size(); ++t) {
        p.tables[t].grad_out = upstream[t].template data_ptr<T>();
        p.tables[t].result = gradients[t].template data_ptr<T>();
      }
      p.grad_gate_sum = values_or_null<T>(gate_upstream);
      p.gate_result = (pass == Pass::kSources ? grad_left : grad_right).template data_ptr<T>();
      inputs.run(p, pass, device.stream);
    }
  });
  return {gradients[0], gradients.size() > 1 ? gradients[1] : at::Tensor(), grad_left, grad_right};
}

at::Tensor factor_gates_cuda(const at::Tensor& left, const at::Tensor& right, const at::Tensor& in_offsets,
                             const at::Tensor& in_sources, double gate_scale) {
  const OnDeviceOf device(left);
  const Inputs inputs("factor_gates", {}, left, right, {}, {}, {in_offsets, in_sources, {}, {}, {}}, gate_scale);
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
