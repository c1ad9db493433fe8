// mean_loss on the GPU: checks and memory around the kernel.
#include "ops/cuda/mean_loss.h"

#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "factorgcn/ops/mean_loss.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"
#include "ops/registration.h"

namespace factorgcn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> mean_loss_cuda(const at::Tensor& prediction, const at::Tensor& targets,
                                                  const OptionalTensor& real_rows, std::int64_t kind) {
  const OnDeviceOf device(prediction);
  require(prediction.dim() == 2, "mean_loss: predictions are ", prediction.sizes(), ", expected [rows, columns]");
  check_table("mean_loss", "targets", targets, prediction.sizes(), prediction);
  const at::Tensor x = prediction.contiguous(), wanted = targets.contiguous(), real = value_or_undefined(real_rows);
  if (real.defined()) {
    check_index("mean_loss", "real_rows", real, at::kLong, 1, x);
  }
  const at::Tensor loss = at::empty({}, x.options()), gradient = at::empty(x.sizes(), x.options());
  const at::Tensor sums = at::empty({mean_loss_blocks(x.numel())}, x.options().dtype(at::kDouble));
  with_floating(x, "mean_loss", [&](auto scalar) {
    using T = decltype(scalar);
    MeanLossProblem<T> p;
    p.rows = x.size(0);
    p.columns = x.size(1);
    p.real_rows = values_or_null<std::int64_t>(real);
    p.cross_entropy = static_cast<MeanLoss>(kind) == MeanLoss::kBinaryCrossEntropy;
    p.prediction = x.data_ptr<T>();
    p.targets = wanted.data_ptr<T>();
    p.loss = loss.data_ptr<T>();
    p.gradient = gradient.data_ptr<T>();
    p.sums = sums.data_ptr<double>();
    run_mean_loss(p, device.stream);
  });
  check_launch();
  return {loss, gradient};
}

at::Tensor scaled_cuda(const at::Tensor& values, const at::Tensor& scale) {
  const OnDeviceOf device(values);
  const at::Tensor from = kernel_ready(values);
  require(scale.numel() == 1, "scaled: scale has ", scale.numel(), " entries, expected 1");
  check_same_device("scaled", "scale", scale, values);
  const at::Tensor result = at::empty(from.sizes(), from.options());
  with_floating(from, "scaled", [&](auto scalar) {
    using T = decltype(scalar);
    scale_values(from.data_ptr<T>(), scale.data_ptr<T>(), from.numel(), result.data_ptr<T>(), device.stream);
  });
  check_launch();
  return result;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("mean_loss", mean_loss_cuda);
  library.impl("scaled", scaled_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
