// gram: its gradient, and the calls to dense's kernels.
#include "factorgcn/ops/gram.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/dense_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct GramFunction : torch::autograd::Function<GramFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<DenseBackwardSignature>("factorgcn::dense_backward");
    context->save_for_backward({x});
    const at::Tensor shape_of_weight = at::empty({x.size(1), x.size(1)}, x.options());  // its values are not looked at
    return std::get<1>(operation.call(x, x, x, shape_of_weight, {}, {}, false, {false, true, false, false}));
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("gram");
    static const auto operation = find_operation<DenseSignature>("factorgcn::dense");
    return {operation.call(context->get_saved_variables()[0], grads[0] + grads[0].t(), {}, {}, false)};
  }
};

}  // namespace

at::Tensor gram(const at::Tensor& x) {
  require(x.defined() && x.dim() == 2 && x.size(1) >= 1,
          "gram: x must have shape [rows, columns] with at least 1 column");
  return GramFunction::apply(x);
}

}  // namespace factorgcn
