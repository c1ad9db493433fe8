// edge_attention on the GPU: memory around the kernels.
#include "ops/cuda/edge_attention.h"

#include <torch/library.h>

#include "ops/cuda/glue.h"
#include "ops/edge_attention_checks.h"

namespace factorgcn::cuda {
namespace {

at::Tensor edge_attention_cuda(const at::Tensor& left, const at::Tensor& right, at::TensorList edges, double slope) {
  const AttentionArguments inputs("edge_attention", left, right, edges, slope);
  const OnDeviceOf device(inputs.left);
  at::Tensor alpha = inputs.new_edges();
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    attention<T>(inputs.as<AttentionPass, T>(), alpha.data_ptr<T>(), device.stream);
  });
  check_launch();
  return alpha;
}

std::tuple<at::Tensor, at::Tensor> edge_attention_backward_cuda(const at::Tensor& grad_alpha, const at::Tensor& alpha,
                                                                const at::Tensor& left, const at::Tensor& right,
                                                                at::TensorList edges, double slope) {
  const AttentionArguments inputs("edge_attention_backward", left, right, edges, slope);
  const OnDeviceOf device(inputs.left);
  const AttentionGradients gradients(inputs, grad_alpha, alpha);
  with_floating(inputs.left, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    attention_backward<T>(inputs.as<AttentionPass, T>(), gradients.grad_alpha.data_ptr<T>(),
                          gradients.alpha.data_ptr<T>(), gradients.logits.data_ptr<T>(), gradients.left.data_ptr<T>(),
                          gradients.right.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {gradients.left, gradients.right};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("edge_attention", edge_attention_cuda);
  library.impl("edge_attention_backward", edge_attention_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
