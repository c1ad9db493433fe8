// gated_aggregate on the GPU: memory around the kernels.
#include "ops/cuda/gated_aggregate.h"

#include <torch/library.h>

#include "ops/cuda/glue.h"
#include "ops/cuda/weighted_aggregate.h"
#include "ops/gated_aggregate_checks.h"

namespace factorgcn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> gated_aggregate_cuda(const at::Tensor& x, const at::Tensor& left,
                                                        const at::Tensor& right, const OptionalTensor& edge_types,
                                                        at::TensorList edges) {
  const GatedArguments inputs("gated_aggregate", x, left, right, edge_types, edges);
  const OnDeviceOf device(inputs.x);
  at::Tensor out = inputs.new_nodes(), inverse_sum = inputs.new_nodes();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto pass = inputs.as<GatedPass, T>();
    pass.in_types = values_or_null<std::int32_t>(inputs.edge_types);
    gated_means<T>(pass, out.data_ptr<T>(), inverse_sum.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {out, inverse_sum};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> gated_aggregate_backward_cuda(
    const at::Tensor& grad_out, const at::Tensor& out, const at::Tensor& inverse_sum, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, at::TensorList edges) {
  const GatedArguments inputs("gated_aggregate_backward", x, left, right, edge_types, edges);
  const OnDeviceOf device(inputs.x);
  const GatedGradients gradients(inputs, grad_out, out, inverse_sum);
  if (gradients.out_types.defined()) {
    permute_to_out<std::int32_t>(inputs.edge_types.data_ptr<std::int32_t>(),
                                 inputs.edges.in_to_out.data_ptr<std::int64_t>(), inputs.edges.num_edges(), 1,
                                 gradients.out_types.data_ptr<std::int32_t>(), device.stream);
  }
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto pass = inputs.as<GatedPass, T>();
    pass.in_types = values_or_null<std::int32_t>(inputs.edge_types);
    pass.out_types = values_or_null<std::int32_t>(gradients.out_types);
    gated_means_backward<T>(pass, gradients.grad_out.data_ptr<T>(), gradients.out.data_ptr<T>(),
                            gradients.inverse_sum.data_ptr<T>(), gradients.mean.data_ptr<T>(),
                            gradients.x.data_ptr<T>(), gradients.left.data_ptr<T>(), gradients.right.data_ptr<T>(),
                            device.stream);
  });
  check_launch();
  return {gradients.x, gradients.left, gradients.right};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("gated_aggregate", gated_aggregate_cuda);
  library.impl("gated_aggregate_backward", gated_aggregate_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
