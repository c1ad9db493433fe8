// factor_label_loss: schema, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/factor_label_loss.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/registration.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the loss and its gradient in the logits.
using FactorLabelLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& logits);

/// The same where graphs from real_graphs on are padding; on the GPU alone, the CPU cuts them off beforehand.
using PaddedLabelLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& logits,
                                                                    const at::Tensor& real_graphs);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("factor_label_loss(Tensor logits) -> (Tensor, Tensor)");
  library.def("padded_label_loss(Tensor logits, Tensor real_graphs) -> (Tensor, Tensor)");
}

struct FactorLabelLossFunction : torch::autograd::Function<FactorLabelLossFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& logits, const OptionalTensor& real_graphs) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto plain = find_operation<FactorLabelLossSignature>("factorgcn::factor_label_loss");
    static const auto padded = find_operation<PaddedLabelLossSignature>("factorgcn::padded_label_loss");
    auto [loss, gradient] = real_graphs.has_value() ? padded.call(logits, *real_graphs) : plain.call(logits);
    context->save_for_backward({gradient});
    context->mark_non_differentiable({gradient});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {loss, gradient};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("factor_label_loss");
    return {context->get_saved_variables()[0] * grads[0], {}};
  }
};

std::tuple<at::Tensor, at::Tensor> factor_label_loss_autograd(const at::Tensor& logits) {
  auto results = FactorLabelLossFunction::apply(logits, OptionalTensor());
  return {results[0], results[1]};
}

std::tuple<at::Tensor, at::Tensor> padded_label_loss_autograd(const at::Tensor& logits, const at::Tensor& real_graphs) {
  auto results = FactorLabelLossFunction::apply(logits, OptionalTensor(real_graphs));
  return {results[0], results[1]};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("factor_label_loss", factor_label_loss_autograd);
  library.impl("padded_label_loss", padded_label_loss_autograd);
}

}  // namespace

at::Tensor factor_label_loss(const at::Tensor& logits, const at::Tensor& real_graphs) {
  if (real_graphs.defined() && logits.device().is_cpu()) {  // there to be read: the rest is cut off
    return factor_label_loss(logits.narrow(0, 0, real_graphs.item<std::int64_t>()));
  }
  if (real_graphs.defined()) {
    static const auto padded = find_operation<PaddedLabelLossSignature>("factorgcn::padded_label_loss");
    return std::get<0>(padded.call(logits, real_graphs));
  }
  static const auto operation = find_operation<FactorLabelLossSignature>("factorgcn::factor_label_loss");
  return std::get<0>(operation.call(logits));
}

}  // namespace factorgcn
