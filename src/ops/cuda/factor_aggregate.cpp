// factor_aggregate on the GPU: checks and memory around the passes over edges.
//
// Cost: one launch forward, two backward (by source, by target); two more each where a graph has very long rows.
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <torch/library.h>

#include <deque>
#include <mutex>

#include "factorgcn/graph/adjacency.h"
#include "ops/cuda/aggregate.h"
#include "ops/cuda/glue.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

void check_table(const char* operation, const char* name, const at::Tensor& tensor, at::IntArrayRef shape,
                 const at::Tensor& like) {
  require(tensor.defined(), operation, ": ", name, " is not defined");
  require(tensor.sizes() == shape, operation, ": ", name, " has shape ", tensor.sizes(), ", expected ", shape);
  require(tensor.scalar_type() == like.scalar_type(), operation, ": ", name, " has type ", tensor.scalar_type(),
          ", expected ", like.scalar_type());
  check_same_device(operation, name, tensor, like);
}

void check_index(const char* operation, const char* name, const at::Tensor& tensor, at::ScalarType type,
                 std::int64_t length, const at::Tensor& like) {
  require(tensor.defined() && tensor.dim() == 1 && tensor.scalar_type() == type && tensor.is_contiguous(), operation,
          ": ", name, " must be a contiguous list of ", type, "; build it with build_adjacency");
  require(tensor.numel() == length, operation, ": ", name, " has ", tensor.numel(), " entries, expected ", length);
  check_same_device(operation, name, tensor, like);
}

/// Whether some row is so long that it is worth cutting up. Looking takes a wait for the GPU, so the answer is kept for
/// the list's address and sizes. Should another graph turn up at the same address, a wrong answer costs time, no more:
/// without the cutting a long row is summed at one go, and with it short rows are done as ever.
bool has_long_rows(const at::Tensor& offsets, std::int64_t edges) {
  constexpr std::int64_t kManyEdges = 1 << 16;
  if (edges <= kManyEdges) {
    return false;
  }
  struct Known {
    const void* address;
    std::int64_t nodes, edges;
    bool answer;
  };
  static std::mutex mutex;
  static std::deque<Known> known;
  const std::lock_guard lock(mutex);
  for (const Known& entry : known) {
    if (entry.address == offsets.data_ptr() && entry.nodes == offsets.numel() && entry.edges == edges) {
      return entry.answer;
    }
  }
  if (c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None) {
    return true;
  }
  const bool answer = offsets.diff().max().item<std::int64_t>() > kLongRow;
  known.push_front({offsets.data_ptr(), offsets.numel(), edges, answer});
  if (known.size() > 64) {
    known.pop_back();
  }
  return answer;
}

/// All inputs, checked and laid out for the kernels; keeps them alive while raw pointers are in use.
struct Inputs {
  const char* operation;
  at::Tensor left, right, source_weight, target_weight;
  Adjacency edges;
  double gate_scale;
  std::vector<at::Tensor> tables;  // what is summed: [N, d] or [N, K, d]

  Inputs(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
         const at::Tensor& right_given, const OptionalTensor& source_given, const OptionalTensor& target_given,
         Adjacency edges_given, double scale)
      : operation(name),
        left(left_given),
        right(right_given),
        source_weight(value_or_undefined(source_given)),
        target_weight(value_or_undefined(target_given)),
        edges(std::move(edges_given)),
        gate_scale(scale),
        tables(std::move(tables_given)) {
    check_gates();
    check_edges();
    std::int64_t columns = 0;
    for (at::Tensor& table : tables) {
      check_values(table);
      columns += width(table);
    }
    const auto bytes = static_cast<std::int64_t>(left.element_size()) * factors() * columns;
    require(bytes <= kMaxRowBytes, operation, ": ", factors(), " factors of ", columns, " columns take ", bytes,
            " bytes a node; on the GPU at most ", kMaxRowBytes, " are supported");
    for (at::Tensor* weight : {&source_weight, &target_weight}) {
      if (weight->defined()) {
        check_table(operation, weight == &source_weight ? "source_weight" : "target_weight", *weight, {nodes()}, left);
        *weight = weight->contiguous();
      }
    }
  }

  std::int64_t nodes() const { return left.size(0); }
  std::int64_t factors() const { return left.size(1); }
  std::int64_t width(const at::Tensor& table) const { return table.size(-1); }
  at::Tensor new_result(const at::Tensor& table) const {
    return at::empty({nodes(), factors(), width(table)}, left.options());
  }
  at::Tensor new_gates() const { return at::empty({nodes(), factors()}, left.options()); }

  /// Rows are targets and neighbours sources, or the other way round.
  template <class T>
  PassProblem<T> problem(bool by_target) const {
    PassProblem<T> p;
    p.rows = nodes();
    p.edges = edges.num_edges();
    p.factors = static_cast<int>(factors());
    p.gate_scale = static_cast<T>(gate_scale);
    p.offsets = (by_target ? edges.in_offsets : edges.out_offsets).template data_ptr<std::int64_t>();
    p.neighbours = (by_target ? edges.in_sources : edges.out_targets).template data_ptr<std::int32_t>();
    p.own_gate = (by_target ? right : left).template data_ptr<T>();
    p.their_gate = (by_target ? left : right).template data_ptr<T>();
    p.gate_stride = left.stride(0);
    p.own_weight = values_or_null<T>(by_target ? target_weight : source_weight);
    p.their_weight = values_or_null<T>(by_target ? source_weight : target_weight);
    p.gate_result_stride = factors();
    for (const at::Tensor& table : tables) {
      PassTable<T>& entry = p.tables[p.num_tables++];
      entry.each = table.dim() == 3;
      entry.width = static_cast<int>(width(table));
      entry.x = table.data_ptr<T>();
    }
    return p;
  }

  /// Runs a pass, with scratch for long rows where there are any.
  template <class T>
  void run(PassProblem<T>& p, Pass pass, cudaStream_t stream) const {
    at::Tensor scratch;
    if (has_long_rows(pass == Pass::kSources ? edges.out_offsets : edges.in_offsets, p.edges)) {
      scratch = at::empty({static_cast<std::int64_t>(long_row_scratch(p, pass))}, left.options().dtype(at::kByte));
      p.scratch = scratch.data_ptr();
    }
    run_pass(p, pass, stream);
    check_launch();
  }

 private:
  void check_gates() {
    require(left.defined() && left.dim() == 2, operation, ": left must have shape [nodes, factors]");
    const std::int64_t n = nodes(), k = factors();
    require(k >= 1, operation, ": ", k, " factors; at least 1 is needed");
    check_table(operation, "left", left, {n, k}, left);
    check_table(operation, "right", right, {n, k}, left);
    if (left.stride(1) != 1 || right.stride(1) != 1 || left.stride(0) != right.stride(0) || left.stride(0) < k) {
      left = left.contiguous();
      right = right.contiguous();
    }
  }

  void check_edges() const {
    const std::int64_t n = nodes(), e = edges.num_edges();
    check_index(operation, "in_offsets", edges.in_offsets, at::kLong, n + 1, left);
    check_index(operation, "in_sources", edges.in_sources, at::kInt, e, left);
    if (edges.out_offsets.defined()) {
      check_index(operation, "out_offsets", edges.out_offsets, at::kLong, n + 1, left);
      check_index(operation, "out_targets", edges.out_targets, at::kInt, e, left);
    }
  }

  void check_values(at::Tensor& table) const {
    require(table.defined() && (table.dim() == 2 || table.dim() == 3) && width(table) >= 1, operation,
            ": features must have shape [nodes, columns] with at least 1 column");
    const std::vector<std::int64_t> shape = table.dim() == 3
                                                ? std::vector<std::int64_t>{nodes(), factors(), width(table)}
                                                : std::vector<std::int64_t>{nodes(), width(table)};
    check_table(operation, "features", table, shape, left);
    table = table.contiguous();
  }
};

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

at::Tensor degree_weights_cuda(const at::Tensor& offsets, bool single_precision) {
  const OnDeviceOf device(offsets);
  const std::int64_t nodes = check_offsets("degree_weights", offsets, offsets);
  const at::Tensor weights = at::empty({nodes}, offsets.options().dtype(single_precision ? at::kFloat : at::kDouble));
  with_floating(weights, "degree_weights", [&](auto scalar) {
    using T = decltype(scalar);
    degree_weights<T>(offsets.data_ptr<std::int64_t>(), nodes, weights.data_ptr<T>(), device.stream);
  });
  check_launch();
  return weights;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("degree_weights", degree_weights_cuda);
  library.impl("factor_aggregate", factor_aggregate_cuda);
  library.impl("factor_aggregate_pair", factor_aggregate_pair_cuda);
  library.impl("factor_aggregate_each", factor_aggregate_each_cuda);
  library.impl("factor_aggregate_backward", factor_aggregate_backward_cuda);
  library.impl("factor_gates", factor_gates_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
