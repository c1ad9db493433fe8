// dense_pool: schemas, gradient and the C++ function. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/dense_pool.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the means and y, which the backward pass needs.
using DensePoolSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& x, const at::Tensor& weight,
                                                              const at::Tensor& bias, const at::Tensor& bias_scale,
                                                              const at::Tensor& offsets);

using DensePoolBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad, const at::Tensor& y, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& bias_scale, const at::Tensor& offsets);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "dense_pool(Tensor x, Tensor weight, Tensor bias, Tensor bias_scale, Tensor offsets) -> (Tensor, Tensor)");
  library.def(
      "dense_pool_backward(Tensor grad, Tensor y, Tensor x, Tensor weight, Tensor bias, Tensor bias_scale, "
      "Tensor offsets) -> (Tensor, Tensor, Tensor, Tensor)");
}

struct DensePoolFunction : torch::autograd::Function<DensePoolFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& bias_scale, const at::Tensor& offsets) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<DensePoolSignature>("factorgcn::dense_pool");
    auto [means, y] = operation.call(x, weight, bias, bias_scale, offsets);
    context->save_for_backward({y, x, weight, bias, bias_scale, offsets});
    context->mark_non_differentiable({y});
    context->set_materialize_grads(false);  // no zeros for what has no gradient
    return {means, y};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("dense_pool");
    static const auto operation = find_operation<DensePoolBackwardSignature>("factorgcn::dense_pool_backward");
    const variable_list saved = context->get_saved_variables();
    auto [grad_x, grad_weight, grad_bias, grad_scale] =
        operation.call(grads[0], saved[0], saved[1], saved[2], saved[3], saved[4], saved[5]);
    return {grad_x, grad_weight, grad_bias, grad_scale, {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("dense_pool", Differentiable<DensePoolFunction, DensePoolSignature>::call);
}

}  // namespace

at::Tensor dense_pool(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      const at::Tensor& bias_scale, const at::Tensor& offsets) {
  static const auto operation = find_operation<DensePoolSignature>("factorgcn::dense_pool");
  return std::get<0>(operation.call(x, weight, bias, bias_scale, offsets));
}

}  // namespace factorgcn
