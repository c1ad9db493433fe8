// Sums and means per graph: schemas, gradient and the C++ functions. The arithmetic is in ops/cpu/ and ops/cuda/.
#include "factorgcn/ops/segment_reduce.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/differentiable.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using SegmentReduceSignature = at::Tensor(const at::Tensor& x, const at::Tensor& offsets, bool mean);
using SegmentReduceBackwardSignature = at::Tensor(const at::Tensor& grad, const at::Tensor& offsets, std::int64_t rows,
                                                  bool mean);

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("segment_reduce(Tensor x, Tensor offsets, bool mean) -> Tensor");
  library.def("segment_reduce_backward(Tensor grad, Tensor offsets, int rows, bool mean) -> Tensor");
}

struct SegmentReduceFunction : torch::autograd::Function<SegmentReduceFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& offsets, bool mean) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<SegmentReduceSignature>("factorgcn::segment_reduce");
    context->save_for_backward({offsets});
    context->saved_data["rows"] = x.size(0);
    context->saved_data["mean"] = mean;
    return operation.call(x, offsets, mean);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("segment_reduce");
    static const auto operation = find_operation<SegmentReduceBackwardSignature>("factorgcn::segment_reduce_backward");
    return {operation.call(grads[0], context->get_saved_variables()[0], context->saved_data["rows"].toInt(),
                           context->saved_data["mean"].toBool()),
            {},
            {}};
  }
};

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) {
  library.impl("segment_reduce", Differentiable<SegmentReduceFunction, SegmentReduceSignature>::call);
}

at::Tensor segment_reduce(const at::Tensor& x, const at::Tensor& offsets, bool mean) {
  static const auto operation = find_operation<SegmentReduceSignature>("factorgcn::segment_reduce");
  return operation.call(x, offsets, mean);
}

}  // namespace

at::Tensor segment_mean(const at::Tensor& x, const at::Tensor& offsets) { return segment_reduce(x, offsets, true); }

at::Tensor segment_sum(const at::Tensor& x, const at::Tensor& offsets) { return segment_reduce(x, offsets, false); }

}  // namespace factorgcn
