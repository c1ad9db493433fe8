// Sums and means per graph on the GPU.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"
#include "ops/registration.h"

namespace factorgcn::cuda {
namespace {

at::Tensor segment_reduce_cuda(const at::Tensor& x_given, const at::Tensor& offsets, bool mean) {
  require(x_given.defined() && x_given.dim() >= 1, "segment_reduce: x must have at least one dimension");
  const OnDeviceOf device(x_given);
  const at::Tensor x = x_given.contiguous();
  const std::int64_t segments = check_offsets("segment_reduce", offsets, x), rows = x.size(0);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = segments;
  if (rows == 0) {
    return at::zeros(shape, x.options());
  }
  at::Tensor result = at::empty(shape, x.options());
  const std::int64_t columns = x.numel() / rows;
  const at::Tensor scratch = at::empty({segment_scratch(segments, rows, columns)}, x.options());
  with_floating(x, "segment_reduce", [&](auto scalar) {
    using T = decltype(scalar);
    reduce_segments<T>(x.data_ptr<T>(), offsets.data_ptr<std::int64_t>(), segments, rows, columns, mean,
                       scratch.data_ptr<T>(), result.data_ptr<T>(), device.stream);
  });
  check_launch();
  return result;
}

at::Tensor segment_reduce_backward_cuda(const at::Tensor& grad_given, const at::Tensor& offsets, std::int64_t rows,
                                        bool mean) {
  const OnDeviceOf device(grad_given);
  const at::Tensor grad = grad_given.contiguous();
  const std::int64_t segments = check_offsets("segment_reduce_backward", offsets, grad);
  require(grad.dim() >= 1 && grad.size(0) == segments, "segment_reduce_backward: grad has shape ", grad.sizes(),
          ", expected ", segments, " rows");
  std::vector<std::int64_t> shape = grad.sizes().vec();
  shape[0] = rows;
  at::Tensor result = at::empty(shape, grad.options());
  const std::int64_t columns = segments > 0 ? grad.numel() / segments : 0;
  with_floating(grad, "segment_reduce_backward", [&](auto scalar) {
    using T = decltype(scalar);
    spread_segments<T>(grad.data_ptr<T>(), offsets.data_ptr<std::int64_t>(), segments, rows, columns, mean,
                       result.data_ptr<T>(), device.stream);
  });
  check_launch();
  return result;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("segment_reduce", segment_reduce_cuda);
  library.impl("segment_reduce_backward", segment_reduce_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
