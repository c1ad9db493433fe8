// capsule_route on the GPU: memory around the kernels.
#include "ops/cuda/capsule_route.h"

#include <torch/library.h>

#include "ops/capsule_route_checks.h"
#include "ops/cuda/glue.h"

namespace factorgcn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> capsule_route_cuda(const at::Tensor& x, const at::Tensor& u, bool unit,
                                                      at::TensorList edges) {
  const RouteArguments inputs("capsule_route", x, u, edges);
  const OnDeviceOf device(inputs.x);
  at::Tensor next = inputs.new_capsules(), inverse_length = inputs.new_lengths();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    route<T>(inputs.as<RoutePass, T>(unit), next.data_ptr<T>(), inverse_length.data_ptr<T>(), device.stream);
  });
  check_launch();
  return {next, inverse_length};
}

std::tuple<at::Tensor, at::Tensor> capsule_route_backward_cuda(const at::Tensor& grad_next, const at::Tensor& next,
                                                               const at::Tensor& inverse_length, const at::Tensor& x,
                                                               const at::Tensor& u, bool unit, at::TensorList edges) {
  const RouteArguments inputs("capsule_route_backward", x, u, edges);
  const OnDeviceOf device(inputs.x);
  const RouteGradientTables gradients(inputs, grad_next, next, inverse_length);
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    RouteGradients<T> places;
    places.next = gradients.next.data_ptr<T>();
    places.inverse_length = gradients.inverse_length.data_ptr<T>();
    gradients.place<T>(places);
    route_backward<T>(inputs.as<RoutePass, T>(unit), places, device.stream);
  });
  check_launch();
  return {gradients.x, gradients.u};
}

at::Tensor capsule_shares_cuda(const at::Tensor& x, const at::Tensor& u, at::TensorList edges) {
  const RouteArguments inputs("capsule_shares", x, u, edges);
  const OnDeviceOf device(inputs.x);
  at::Tensor shares = inputs.new_shares();
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    route_shares<T>(inputs.as<RoutePass, T>(), shares.data_ptr<T>(), device.stream);
  });
  check_launch();
  return shares;
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("capsule_route", capsule_route_cuda);
  library.impl("capsule_route_backward", capsule_route_backward_cuda);
  library.impl("capsule_shares", capsule_shares_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
