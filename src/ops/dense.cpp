// dense: schema, checks, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/dense.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/ops/sparse_dense.h"
#include "ops/dense_schema.h"
#include "ops/differentiable.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("dense(Tensor x, Tensor weight, Tensor? bias, Tensor? bias_scale, bool tanh) -> Tensor");
  library.def(
      "dense_backward(Tensor grad_y, Tensor y, Tensor x, Tensor weight, Tensor? bias, Tensor? bias_scale, bool tanh, "
      "bool[4] wanted) -> (Tensor, Tensor, Tensor, Tensor)");
}

struct DenseFunction : torch::autograd::Function<DenseFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const OptionalTensor& bias, const OptionalTensor& bias_scale, bool tanh) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<DenseSignature>("factorgcn::dense");
    at::Tensor y = operation.call(x, weight, bias, bias_scale, tanh);
    const at::Tensor bias_value = value_or_undefined(bias), scale_value = value_or_undefined(bias_scale);
    context->save_for_backward({x, weight, bias_value, scale_value, tanh ? y : at::Tensor()});
    context->saved_data["tanh"] = tanh;
    const auto wants = [](const at::Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); };
    context->saved_data["wanted"] = c10::List<bool>({wants(x), wants(weight), wants(bias_value), wants(scale_value)});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("dense");
    static const auto operation = find_operation<DenseBackwardSignature>("factorgcn::dense_backward");
    const variable_list saved = context->get_saved_variables();
    const auto list = context->saved_data["wanted"].toBoolList();
    const std::array<bool, 4> wanted{list[0], list[1], list[2], list[3]};
    const at::Tensor& y = saved[4].defined() ? saved[4] : grads[0];
    auto [grad_x, grad_weight, grad_bias, grad_scale] =
        operation.call(grads[0], y, saved[0], saved[1], optional(saved[2]), optional(saved[3]),
                       context->saved_data["tanh"].toBool(), wanted);
    return {grad_x, grad_weight, grad_bias, grad_scale, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("dense", Differentiable<DenseFunction, DenseSignature>::call);
}

}  // namespace

at::Tensor dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& bias_scale,
                 Activation activation) {
  require(activation == Activation::kNone || activation == Activation::kTanh, "dense: activation ",
          activation_name(activation), " is not supported; use none or tanh");
  if (is_sparse(x)) {
    require(!bias_scale.defined() && activation == Activation::kNone,
            "dense: sparse rows take neither scales of the bias nor an activation");
    return sparse_dense(x, weight, bias);
  }
  static const auto operation = find_operation<DenseSignature>("factorgcn::dense");
  return operation.call(x, weight, optional(bias), optional(bias_scale), activation == Activation::kTanh);
}

}  // namespace factorgcn
