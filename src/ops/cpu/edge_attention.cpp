// edge_attention on the CPU: checks, memory and threads around the kernels.
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/edge_inputs.h"
#include "ops/edge_attention_schema.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kEdgeWork = 24;  // multiply-adds that one exponential is worth

struct Inputs {
  const char* operation;
  at::Tensor left, right;
  Adjacency edges;
  double slope;

  Inputs(const char* name, const at::Tensor& left_given, const at::Tensor& right_given, Adjacency edges_given,
         double slope_given)
      : operation(name), left(left_given), right(right_given), edges(std::move(edges_given)), slope(slope_given) {
    require(left.defined() && left.dim() == 2 && left.size(1) >= 1, operation,
            ": left must have shape [nodes, heads] with at least 1 head");
    const std::vector<std::int64_t> shape = left.sizes().vec();
    left = checked_values(operation, "left", left, shape, left);
    right = checked_values(operation, "right", right, shape, left);
    check_edge_lists(operation, edges, left);
  }

  std::int64_t nodes() const { return left.size(0); }
  std::int64_t heads() const { return left.size(1); }

  template <class T>
  AttentionProblem<T> problem() const {
    AttentionProblem<T> p;
    p.heads = heads();
    p.slope = static_cast<T>(slope);
    p.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
    p.in_sources = edges.in_sources.data_ptr<std::int32_t>();
    p.out_offsets = edges.out_offsets.data_ptr<std::int64_t>();
    p.in_to_out = edges.in_to_out.data_ptr<std::int64_t>();
    p.left = left.data_ptr<T>();
    p.right = right.data_ptr<T>();
    return p;
  }
};

at::Tensor edge_attention_cpu(const at::Tensor& left, const at::Tensor& right, const at::Tensor& in_offsets,
                              const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& in_to_out,
                              double slope) {
  const Inputs inputs("edge_attention", left, right, {in_offsets, in_sources, out_offsets, {}, in_to_out}, slope);
  at::Tensor alpha = at::empty({inputs.edges.num_edges(), inputs.heads()}, inputs.left.options());
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.alpha = alpha.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.heads * kEdgeWork,
                       [&](std::int64_t begin, std::int64_t end) { kernel.attention_rows(problem, begin, end); });
  });
  return alpha;
}

std::tuple<at::Tensor, at::Tensor> edge_attention_backward_cpu(const at::Tensor& grad_given,
                                                               const at::Tensor& alpha_given, const at::Tensor& left,
                                                               const at::Tensor& right, const at::Tensor& in_offsets,
                                                               const at::Tensor& in_sources,
                                                               const at::Tensor& out_offsets,
                                                               const at::Tensor& in_to_out, double slope) {
  const Inputs inputs("edge_attention_backward", left, right, {in_offsets, in_sources, out_offsets, {}, in_to_out},
                      slope);
  const std::vector<std::int64_t> shape{inputs.edges.num_edges(), inputs.heads()};
  const at::Tensor grad_alpha = checked_values(inputs.operation, "grad_alpha", grad_given, shape, inputs.left);
  const at::Tensor alpha = checked_values(inputs.operation, "alpha", alpha_given, shape, inputs.left);
  at::Tensor grad_left = at::empty(inputs.left.sizes(), inputs.left.options());
  at::Tensor grad_right = at::empty(inputs.left.sizes(), inputs.left.options());
  const at::Tensor grad_logits = at::empty(shape, inputs.left.options());
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.problem<T>();
    problem.alpha_seen = alpha.data_ptr<T>();
    problem.grad_alpha = grad_alpha.data_ptr<T>();
    problem.grad_logits = grad_logits.data_ptr<T>();
    problem.grad_left = grad_left.data_ptr<T>();
    problem.grad_right = grad_right.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.heads * 8,
        [&](std::int64_t begin, std::int64_t end) { kernel.attention_backward_targets(problem, begin, end); });
    parallel_edge_rows(problem.out_offsets, inputs.nodes(), problem.heads, [&](std::int64_t begin, std::int64_t end) {
      kernel.attention_backward_sources(problem, begin, end);
    });
  });
  return {grad_left, grad_right};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("edge_attention", edge_attention_cpu);
  library.impl("edge_attention_backward", edge_attention_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
