// Elementwise activations: names, schemas, gradient. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/activation.h"

#include <ATen/ops/elu.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using ActivateSignature = at::Tensor(const at::Tensor& x, bool tanh, double slope);
using ActivateBackwardSignature = at::Tensor(const at::Tensor& grad_y, const at::Tensor& y, bool tanh, double slope);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("activate(Tensor x, bool tanh, float slope) -> Tensor");
  library.def("activate_backward(Tensor grad_y, Tensor y, bool tanh, float slope) -> Tensor");
}

struct ActivateFunction : torch::autograd::Function<ActivateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, bool tanh, double slope) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<ActivateSignature>("factorgcn::activate");
    at::Tensor y = operation.call(x, tanh, slope);
    context->save_for_backward({y});
    context->saved_data["tanh"] = tanh;
    context->saved_data["slope"] = slope;
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("activate");
    static const auto operation = find_operation<ActivateBackwardSignature>("factorgcn::activate_backward");
    return {operation.call(grads[0], context->get_saved_variables()[0], context->saved_data["tanh"].toBool(),
                           context->saved_data["slope"].toDouble()),
            {},
            {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("activate", Differentiable<ActivateFunction, ActivateSignature>::call);
}

}  // namespace

const char* activation_name(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return "none";
    case Activation::kLeakyRelu:
      return "leaky_relu";
    case Activation::kRelu:
      return "relu";
    case Activation::kTanh:
      return "tanh";
    case Activation::kElu:
      return "elu";
  }
  return "unknown";
}

Activation activation_from_name(const std::string& name, const std::string& what) {
  std::string known;
  for (const auto activation :
       {Activation::kNone, Activation::kRelu, Activation::kLeakyRelu, Activation::kTanh, Activation::kElu}) {
    if (name == activation_name(activation)) {
      return activation;
    }
    known += (known.empty() ? "" : ", ") + std::string(activation_name(activation));
  }
  throw UsageError(concat(what, " is \"", name, "\": choose one of ", known));
}

at::Tensor activate(const at::Tensor& x, Activation activation, double slope) {
  if (activation == Activation::kNone) {
    return x;
  }
  if (activation == Activation::kElu) {
    return at::elu(x);
  }
  if (activation == Activation::kRelu) {
    slope = 0;
  }
  require(slope >= 0, "activate: slope is ", slope, "; it must not be negative");
  static const auto operation = find_operation<ActivateSignature>("factorgcn::activate");
  return operation.call(x, activation == Activation::kTanh, slope);
}

}  // namespace factorgcn
