// sparse_dense: schema, gradient and the C++ function. The arithmetic is in ops/cpu/sparse_dense.cpp.
#include "factorgcn/ops/sparse_dense.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "factorgcn/graph/sparse_features.h"
#include "ops/differentiable.h"
#include "ops/sparse_dense_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("sparse_dense(Tensor offsets, Tensor columns, Tensor values, Tensor weight) -> Tensor");
  library.def(
      "sparse_dense_backward(Tensor grad_y, Tensor offsets, Tensor columns, Tensor values, int width) -> Tensor");
}

struct SparseDenseFunction : torch::autograd::Function<SparseDenseFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& offsets, const at::Tensor& columns,
                            const at::Tensor& values, const at::Tensor& weight) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<SparseDenseSignature>("factorgcn::sparse_dense");
    context->save_for_backward({offsets, columns, values});
    context->saved_data["width"] = weight.size(1);
    return operation.call(offsets, columns, values, weight);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("sparse_dense");
    static const auto operation = find_operation<SparseDenseBackwardSignature>("factorgcn::sparse_dense_backward");
    const variable_list saved = context->get_saved_variables();
    return {{}, {}, {}, operation.call(grads[0], saved[0], saved[1], saved[2], context->saved_data["width"].toInt())};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("sparse_dense", Differentiable<SparseDenseFunction, SparseDenseSignature>::call);
}

}  // namespace

at::Tensor sparse_dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  require(is_sparse(x), "sparse_dense: x is not sparse; use dense");
  require(x.device().is_cpu(), "sparse_dense: sparse features are on ", x.device(),
          "; they are multiplied on the CPU alone, so make them dense (graph/sparse_features.h)");
  static const auto operation = find_operation<SparseDenseSignature>("factorgcn::sparse_dense");
  const SparseRows rows = sparse_rows(x);
  const at::Tensor y = operation.call(rows.offsets, rows.columns, rows.values, weight);
  return bias.defined() ? y + bias : y;
}

}  // namespace factorgcn
