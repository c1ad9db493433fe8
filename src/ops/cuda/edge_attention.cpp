// edge_attention on the GPU: checks and memory around the kernels.
#include "ops/cuda/edge_attention.h"

#include <torch/library.h>

#include "ops/cuda/edge_inputs.h"
#include "ops/edge_attention_schema.h"

namespace factorgcn::cuda {
namespace {

struct AttentionInputs {
  const char* operation;
  at::Tensor left, right;
  Adjacency edges;
  double slope;

  AttentionInputs(const char* name, const at::Tensor& left_given, const at::Tensor& right_given, Adjacency edges_given,
                  double slope_given)
      : operation(name), left(left_given), right(right_given), edges(std::move(edges_given)), slope(slope_given) {
    require(left.defined() && left.dim() == 2 && left.size(1) >= 1, operation,
            ": left must have shape [nodes, heads] with at least 1 head");
    const std::vector<std::int64_t> shape = left.sizes().vec();
    check_edge_lists(operation, edges, left);
    left = left.contiguous();
    right = checked_values(operation, "right", right, shape, left);
  }

  template <class T>
  AttentionPass<T> pass() const {
    AttentionPass<T> p;
    p.rows = left.size(0);
    p.heads = static_cast<int>(left.size(1));
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

at::Tensor edge_attention_cuda(const at::Tensor& left, const at::Tensor& right, const at::Tensor& in_offsets,
                               const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& in_to_out,
                               double slope) {
  const AttentionInputs inputs("edge_attention", left, right, {in_offsets, in_sources, out_offsets, {}, in_to_out},
                               slope);
  const OnDeviceOf device(inputs.left);
  at::Tensor alpha = at::empty({inputs.edges.num_edges(), inputs.left.size(1)}, inputs.left.options());
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    attention<T>(inputs.pass<T>(), alpha.data_ptr<T>(), device.stream);
  });
  check_launch();
  return alpha;
}

std::tuple<at::Tensor, at::Tensor> edge_attention_backward_cuda(const at::Tensor& grad_given,
                                                                const at::Tensor& alpha_given, const at::Tensor& left,
                                                                const at::Tensor& right, const at::Tensor& in_offsets,
                                                                const at::Tensor& in_sources,
                                                                const at::Tensor& out_offsets,
                                                                const at::Tensor& in_to_out, double slope) {
  const AttentionInputs inputs("edge_attention_backward", left, right,
                               {in_offsets, in_sources, out_offsets, {}, in_to_out}, slope);
  const OnDeviceOf device(inputs.left);
  const std::vector<std::int64_t> shape{inputs.edges.num_edges(), inputs.left.size(1)};
  const at::Tensor grad_alpha = checked_values(inputs.operation, "grad_alpha", grad_given, shape, inputs.left);
  const at::Tensor alpha = checked_values(inputs.operation, "alpha", alpha_given, shape, inputs.left);
  at::Tensor grad_left = at::empty(inputs.left.sizes(), inputs.left.options());
  at::Tensor grad_right = at::empty(inputs.left.sizes(), inputs.left.options());
  const at::Tensor grad_logits = at::empty(shape, inputs.left.options());
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    attention_backward<T>(inputs.pass<T>(), grad_alpha.data_ptr<T>(), alpha.data_ptr<T>(), grad_logits.data_ptr<T>(),
                          grad_left.data_ptr<T>(), grad_right.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {grad_left, grad_right};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("edge_attention", edge_attention_cuda);
  library.impl("edge_attention_backward", edge_attention_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
