// edge_attention on the CPU: memory and threads around the kernels.
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/row_ranges.h"
#include "ops/edge_attention_checks.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kEdgeWork = 24;  // multiply-adds that one exponential is worth

at::Tensor edge_attention_cpu(const at::Tensor& left, const at::Tensor& right, at::TensorList edges, double slope) {
  const AttentionArguments inputs("edge_attention", left, right, edges, slope);
  at::Tensor alpha = inputs.new_edges();
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<AttentionProblem, T>();
    problem.alpha = alpha.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(problem.in_offsets, inputs.nodes(), problem.heads * kEdgeWork,
                       [&](std::int64_t begin, std::int64_t end) { kernel.attention_rows(problem, begin, end); });
  });
  return alpha;
}

std::tuple<at::Tensor, at::Tensor> edge_attention_backward_cpu(const at::Tensor& grad_alpha, const at::Tensor& alpha,
                                                               const at::Tensor& left, const at::Tensor& right,
                                                               at::TensorList edges, double slope) {
  const AttentionArguments inputs("edge_attention_backward", left, right, edges, slope);
  const AttentionGradients gradients(inputs, grad_alpha, alpha);
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto problem = inputs.as<AttentionProblem, T>();
    problem.alpha_seen = gradients.alpha.data_ptr<T>();
    problem.grad_alpha = gradients.grad_alpha.data_ptr<T>();
    problem.grad_logits = gradients.logits.data_ptr<T>();
    problem.grad_left = gradients.left.data_ptr<T>();
    problem.grad_right = gradients.right.data_ptr<T>();
    const auto& kernel = kernels().of<T>();
    parallel_edge_rows(
        problem.in_offsets, inputs.nodes(), problem.heads * 8,
        [&](std::int64_t begin, std::int64_t end) { kernel.attention_backward_targets(problem, begin, end); });
    parallel_edge_rows(problem.out_offsets, inputs.nodes(), problem.heads, [&](std::int64_t begin, std::int64_t end) {
      kernel.attention_backward_sources(problem, begin, end);
    });
  });
  return {gradients.left, gradients.right};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("edge_attention", edge_attention_cpu);
  library.impl("edge_attention_backward", edge_attention_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
