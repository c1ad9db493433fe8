// late_total and wait_for_judges on the GPU: losses that are found beside the caller's stream.
#include <ATen/TensorOperators.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include "ops/cuda/beside.h"
#include "ops/cuda/glue.h"
#include "ops/late_losses_schema.h"

namespace factorgcn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> late_total_cuda(const at::Tensor& task, at::TensorList regularisers, double lambda) {
  const OnDeviceOf device(task);
  const BesideStreams& streams = BesideStreams::on(task.device().index());
  Beside& adding = BesideStreams::on(task.device().index()).next();
  adding.fork(device.stream);
  for (const auto& other : streams.all()) {
    other->let_wait_for_loss(adding.stream.stream());
  }
  const c10::cuda::CUDAStreamGuard guard(adding.stream);
  auto result = sum_of_losses(task, regularisers, lambda);
  adding.mark_loss();
  return result;
}

void wait_for_judges_cuda(const at::Tensor& like) {
  const OnDeviceOf device(like);
  for (const auto& other : BesideStreams::on(like.device().index()).all()) {
    other->wait_for_loss(device.stream);
  }
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("late_total", late_total_cuda);
  library.impl("wait_for_judges", wait_for_judges_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
