// edge_attention: schema, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/edge_attention.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/edge_attention_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "edge_attention(Tensor left, Tensor right, Tensor in_offsets, Tensor in_sources, Tensor out_offsets, "
      "Tensor in_to_out, float slope) -> Tensor");
  library.def(
      "edge_attention_backward(Tensor grad_alpha, Tensor alpha, Tensor left, Tensor right, Tensor in_offsets, "
      "Tensor in_sources, Tensor out_offsets, Tensor in_to_out, float slope) -> (Tensor, Tensor)");
}

struct EdgeAttentionFunction : torch::autograd::Function<EdgeAttentionFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& left, const at::Tensor& right,
                            const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
                            const at::Tensor& in_to_out, double slope) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<EdgeAttentionSignature>("factorgcn::edge_attention");
    at::Tensor alpha = operation.call(left, right, in_offsets, in_sources, out_offsets, in_to_out, slope);
    context->save_for_backward({alpha, left, right, in_offsets, in_sources, out_offsets, in_to_out});
    context->saved_data["slope"] = slope;
    return alpha;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("edge_attention");
    static const auto operation = find_operation<EdgeAttentionBackwardSignature>("factorgcn::edge_attention_backward");
    const variable_list saved = context->get_saved_variables();
    auto [grad_left, grad_right] = operation.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4], saved[5],
                                                  saved[6], context->saved_data["slope"].toDouble());
    return {grad_left, grad_right, {}, {}, {}, {}, {}};
  }
};

at::Tensor edge_attention_autograd(const at::Tensor& left, const at::Tensor& right, const at::Tensor& in_offsets,
                                   const at::Tensor& in_sources, const at::Tensor& out_offsets,
                                   const at::Tensor& in_to_out, double slope) {
  return EdgeAttentionFunction::apply(left, right, in_offsets, in_sources, out_offsets, in_to_out, slope);
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("edge_attention", edge_attention_autograd); }

}  // namespace

at::Tensor edge_attention(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right, double slope) {
  static const auto operation = find_operation<EdgeAttentionSignature>("factorgcn::edge_attention");
  return operation.call(left, right, edges.in_offsets, edges.in_sources, edges.out_offsets, edges.in_to_out, slope);
}

}  // namespace factorgcn
