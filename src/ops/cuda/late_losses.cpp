// record_losses and wait_for_judges on the GPU.
#include <ATen/ops/stack.h>
#include <torch/library.h>

#include "ops/cuda/beside.h"
#include "ops/cuda/glue.h"
#include "ops/cuda/loss_row.h"
#include "ops/late_losses_schema.h"

namespace factorgcn::cuda {
namespace {

void wait_for_judges_cuda(const at::Tensor& like) {
  const OnDeviceOf device(like);
  BesideStreams& streams = BesideStreams::on(like.device().index());
  streams.start();
  for (const auto& other : streams.all()) {
    other->wait_for_loss(device.stream);
  }
}

void record_losses_cuda(const at::Tensor& task, at::TensorList regularisers, double lambda,
                        const OptionalTensor& position, const at::Tensor& rows) {
  const OnDeviceOf device(task);
  wait_for_judges_cuda(task);
  with_floating(task, "record_losses", [&](auto scalar) {
    using T = decltype(scalar);
    LossRow<T> row;
    at::Tensor sum;
    row.task = task.data_ptr<T>();
    if (regularisers.size() <= LossRow<T>::kMostRegularisers) {
      for (const at::Tensor& regulariser : regularisers) {
        row.regularisers[row.count++] = regulariser.data_ptr<T>();
      }
    } else {
      sum = at::stack(regularisers).sum();
      row.regularisers[row.count++] = sum.data_ptr<T>();
    }
    row.lambda = lambda;
    row.position = values_or_null<std::int64_t>(value_or_undefined(position));
    row.rows = rows.data_ptr<double>();
    write_loss_row(row, device.stream);
  });
  check_launch();
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("record_losses", record_losses_cuda);
  library.impl("wait_for_judges", wait_for_judges_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
