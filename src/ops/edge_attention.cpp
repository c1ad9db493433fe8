// edge_attention: schema, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/edge_attention.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"
#include "ops/one_table.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using EdgeAttentionSignature = at::Tensor(const at::Tensor& left, const at::Tensor& right, at::TensorList edges,
                                          double slope);

/// Gradients of left and right.
using EdgeAttentionBackwardSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& grad_alpha,
                                                                          const at::Tensor& alpha,
                                                                          const at::Tensor& left,
                                                                          const at::Tensor& right, at::TensorList edges,
                                                                          double slope);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("edge_attention(Tensor left, Tensor right, Tensor[] edges, float slope) -> Tensor");
  library.def(
      "edge_attention_backward(Tensor grad_alpha, Tensor alpha, Tensor left, Tensor right, Tensor[] edges, "
      "float slope) -> (Tensor, Tensor)");
}

struct EdgeAttentionFunction : torch::autograd::Function<EdgeAttentionFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left, const at::Tensor& right,
                            EdgeArgument edges, double slope) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<EdgeAttentionSignature>("factorgcn::edge_attention");
    at::Tensor alpha = operation.call(left, right, edges.lists, slope);
    context->save_for_backward(with_edges({alpha, left, right}, edges));
    context->saved_data["slope"] = slope;
    return alpha;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("edge_attention");
    static const auto operation = find_operation<EdgeAttentionBackwardSignature>("factorgcn::edge_attention_backward");
    const variable_list saved = context->get_saved_variables();
    auto [grad_left, grad_right] = operation.call(grads[0], saved[0], saved[1], saved[2], saved_edges(saved),
                                                  context->saved_data["slope"].toDouble());
    return {grad_left, grad_right, {}, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("edge_attention", Differentiable<EdgeAttentionFunction, EdgeAttentionSignature>::call);
}

}  // namespace

at::Tensor edge_attention(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right, double slope) {
  static const auto operation = find_operation<EdgeAttentionSignature>("factorgcn::edge_attention");
  if (edges.num_sources() != edges.num_targets()) {
    const OneTable nodes(edges);
    return operation.call(nodes.padded(left), nodes.padded(right), edge_lists(nodes.edges()), slope);
  }
  return operation.call(left, right, edge_lists(edges), slope);
}

}  // namespace factorgcn
