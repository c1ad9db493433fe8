// mean_loss: schema and gradient. On the CPU it is libtorch's own functions; on the GPU ops/cuda/mean_loss.cpp has the
// arithmetic, which finds the gradient along with the loss.
#include "factorgcn/ops/mean_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/l1_loss.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/put_off.h"
#include "ops/registration.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the loss and its gradient; `kind` is a MeanLoss. On the GPU alone.
using MeanLossSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& prediction, const at::Tensor& targets,
                                                             const OptionalTensor& real_rows, std::int64_t kind);

/// values times a scalar where they are.
using ScaledSignature = at::Tensor(const at::Tensor& values, const at::Tensor& scale);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("mean_loss(Tensor prediction, Tensor targets, Tensor? real_rows, int kind) -> (Tensor, Tensor)");
  library.def("scaled(Tensor values, Tensor scale) -> Tensor");
}

struct MeanLossFunction : torch::autograd::Function<MeanLossFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& prediction, const at::Tensor& targets,
                            const OptionalTensor& real_rows, std::int64_t kind) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<MeanLossSignature>("factorgcn::mean_loss");
    auto [loss, gradient] = operation.call(prediction, targets, real_rows, kind);
    context->save_for_backward({gradient});
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("mean_loss");
    static const auto scaled = find_operation<ScaledSignature>("factorgcn::scaled");
    const at::Tensor gradient = context->get_saved_variables()[0];
    const PutOffPass* const pass = PutOffPass::current();
    return {pass != nullptr && pass->is_one(grads[0]) ? gradient : scaled.call(gradient, grads[0]), {}, {}, {}};
  }
};

}  // namespace

at::Tensor mean_loss(MeanLoss kind, const at::Tensor& prediction, const at::Tensor& targets,
                     const at::Tensor& real_rows) {
  require(prediction.sizes() == targets.sizes() && prediction.scalar_type() == targets.scalar_type(),
          "mean_loss: predictions are ", prediction.scalar_type(), " ", prediction.sizes(), ", targets ",
          targets.scalar_type(), " ", targets.sizes(), "; they must agree");
  if (prediction.is_cuda()) {
    return MeanLossFunction::apply(prediction, targets, optional(real_rows), static_cast<std::int64_t>(kind));
  }
  if (!real_rows.defined()) {
    return kind == MeanLoss::kAbsolute ? at::l1_loss(prediction, targets)
                                       : at::binary_cross_entropy_with_logits(prediction, targets);
  }
  const at::Tensor real = at::arange(prediction.size(0), real_rows.options()).lt(real_rows).unsqueeze(1);
  const at::Tensor weight = real.to(prediction.scalar_type());
  const at::Tensor sum = kind == MeanLoss::kAbsolute ? ((prediction - targets) * weight).abs().sum()
                                                     : at::binary_cross_entropy_with_logits(prediction, targets, weight,
                                                                                            {}, at::Reduction::Sum);
  return sum / (real_rows.squeeze() * prediction.size(1));
}

}  // namespace factorgcn
