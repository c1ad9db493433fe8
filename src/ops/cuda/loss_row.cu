// One thread: a handful of scalars.
#include "ops/cuda/loss_row.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

template <class T>
__global__ void write_row(LossRow<T> p) {
  wait_for_previous();
  double sum = 0;
  for (int i = 0; i < p.count; ++i) {
    sum += double(*p.regularisers[i]);
  }
  double* to = p.rows + (p.position != nullptr ? *p.position : 0) * 3;
  const double task = double(*p.task);
  to[0] = task + p.lambda * sum;
  to[1] = task;
  to[2] = sum;
}

}  // namespace

template <class T>
void write_loss_row(const LossRow<T>& row, cudaStream_t stream) {
  launch(write_row<T>, 1, 1, 0, stream, row);
}

template void write_loss_row<float>(const LossRow<float>&, cudaStream_t);
template void write_loss_row<double>(const LossRow<double>&, cudaStream_t);

}  // namespace factorgcn::cuda
