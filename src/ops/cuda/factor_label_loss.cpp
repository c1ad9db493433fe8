// factor_label_loss on the GPU: loss and gradient in one pass.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"
#include "ops/registration.h"

namespace factorgcn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> padded_label_loss_cuda(const at::Tensor& logits_given,
                                                          const at::Tensor& real_graphs) {
  require(logits_given.dim() == 3 && logits_given.size(1) == logits_given.size(2) && logits_given.numel() > 0,
          "factor_label_loss: logits have shape ", logits_given.sizes(), ", expected [graphs, factors, factors]");
  if (real_graphs.defined()) {
    require(real_graphs.numel() == 1 && real_graphs.scalar_type() == at::kLong,
            "factor_label_loss: real_graphs must be one int64 number");
    check_same_device("factor_label_loss", "real_graphs", real_graphs, logits_given);
  }
  const OnDeviceOf device(logits_given);
  const at::Tensor logits = logits_given.contiguous();
  const std::int64_t graphs = logits.size(0);
  const auto factors = static_cast<int>(logits.size(1));
  at::Tensor gradient = at::empty(logits.sizes(), logits.options()), loss = at::empty({}, logits.options());
  const at::Tensor scratch = at::empty({label_loss_scratch(graphs, factors)}, logits.options().dtype(at::kDouble));
  with_floating(logits, "factor_label_loss", [&](auto scalar) {
    using T = decltype(scalar);
    label_loss<T>(logits.data_ptr<T>(), graphs, values_or_null<std::int64_t>(real_graphs), factors,
                  scratch.data_ptr<double>(), loss.data_ptr<T>(), gradient.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {loss, gradient};
}

std::tuple<at::Tensor, at::Tensor> factor_label_loss_cuda(const at::Tensor& logits) {
  return padded_label_loss_cuda(logits, {});
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("factor_label_loss", factor_label_loss_cuda);
  library.impl("padded_label_loss", padded_label_loss_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
