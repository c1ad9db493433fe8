// factor_label_loss: schema, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/factor_label_loss.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/factor_label_loss_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) { library.def("factor_label_loss(Tensor logits) -> (Tensor, Tensor)"); }

struct FactorLabelLossFunction : torch::autograd::Function<FactorLabelLossFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& logits) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<FactorLabelLossSignature>("factorgcn::factor_label_loss");
    auto [loss, gradient] = operation.call(logits);
    context->save_for_backward({gradient});
    context->mark_non_differentiable({gradient});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {loss, gradient};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("factor_label_loss");
    return {context->get_saved_variables()[0] * grads[0]};
  }
};

std::tuple<at::Tensor, at::Tensor> factor_label_loss_autograd(const at::Tensor& logits) {
  auto results = FactorLabelLossFunction::apply(logits);
  return {results[0], results[1]};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("factor_label_loss", factor_label_loss_autograd); }

}  // namespace

at::Tensor factor_label_loss(const at::Tensor& logits) {
  static const auto operation = find_operation<FactorLabelLossSignature>("factorgcn::factor_label_loss");
  return std::get<0>(operation.call(logits));
}

}  // namespace factorgcn
