// Means with a gate per column: a thread owns one column of one row and walks the row's edges in order.
#include "ops/cuda/gated_aggregate.h"

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;

template <class T>
__device__ __forceinline__ int type_of(const std::int32_t* types, std::int64_t edge) {
  return types != nullptr ? types[edge] : 0;
}

template <class T>
__global__ void mean_rows(GatedPass<T> pass, T* out, T* inverse_sum) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.width;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * pass.width);
  const T own = pass.right[index];
  T sum = 0, gates = 0;
  for (std::int64_t e = pass.in_offsets[row]; e < pass.in_offsets[row + 1]; ++e) {
    const std::int64_t n = pass.in_sources[e];
    const T gate = sigmoid(own + pass.left[(n * pass.types + type_of<T>(pass.in_types, e)) * pass.width + column]);
    sum += gate * pass.x[n * pass.width + column];
    gates += gate;
  }
  const T inverse = T(1) / (gates + pass.eps);
  out[index] = sum * inverse;
  inverse_sum[index] = inverse;
}

template <class T>
__global__ void backward_targets(GatedPass<T> pass, const T* grad_out, const T* out, const T* inverse_sum, T* grad_mean,
                                 T* grad_right) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.width;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * pass.width);
  const T own = pass.right[index], mean = grad_out[index] * inverse_sum[index], value = out[index];
  T sum = 0;
  for (std::int64_t e = pass.in_offsets[row]; e < pass.in_offsets[row + 1]; ++e) {
    const std::int64_t n = pass.in_sources[e];
    const T gate = sigmoid(own + pass.left[(n * pass.types + type_of<T>(pass.in_types, e)) * pass.width + column]);
    sum += gate * (1 - gate) * (pass.x[n * pass.width + column] - value);
  }
  grad_mean[index] = mean;
  grad_right[index] = sum * mean;
}

template <class T>
__global__ void backward_sources(GatedPass<T> pass, const T* out, const T* grad_mean, T* grad_x, T* grad_left) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.width;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * pass.width);
  const T* left = pass.left + row * pass.types * pass.width + column;
  T* gradients = grad_left + row * pass.types * pass.width + column;
  for (int t = 0; t < pass.types; ++t) {
    gradients[t * pass.width] = 0;
  }
  const T x = pass.x[index];
  T sum = 0, only = 0;
  for (std::int64_t e = pass.out_offsets[row]; e < pass.out_offsets[row + 1]; ++e) {
    const std::int64_t target = pass.out_targets[e] * std::int64_t(pass.width) + column;
    const int t = type_of<T>(pass.out_types, e) * pass.width;
    const T gate = sigmoid(left[t] + pass.right[target]);
    const T gated = gate * grad_mean[target], gradient = gated * (1 - gate) * (x - out[target]);
    sum += gated;
    if (pass.out_types != nullptr) {
      gradients[t] += gradient;
    } else {
      only += gradient;
    }
  }
  if (pass.out_types == nullptr) {
    gradients[0] = only;
  }
  grad_x[index] = sum;
}

}  // namespace

template <class T>
void gated_means(const GatedPass<T>& pass, T* out, T* inverse_sum, cudaStream_t stream) {
  const std::int64_t items = pass.rows * pass.width;
  if (items > 0) {
    launch(mean_rows<T>, static_cast<unsigned>((items + kThreads - 1) / kThreads), kThreads, 0, stream, pass, out,
           inverse_sum);
  }
}

template <class T>
void gated_means_backward(const GatedPass<T>& pass, const T* grad_out, const T* out, const T* inverse_sum, T* grad_mean,
                          T* grad_x, T* grad_left, T* grad_right, cudaStream_t stream) {
  const std::int64_t items = pass.rows * pass.width;
  if (items > 0) {
    const auto blocks = static_cast<unsigned>((items + kThreads - 1) / kThreads);
    launch(backward_targets<T>, blocks, kThreads, 0, stream, pass, grad_out, out, inverse_sum, grad_mean, grad_right);
    launch(backward_sources<T>, blocks, kThreads, 0, stream, pass, out, grad_mean, grad_x, grad_left);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                                                           \
  template void gated_means<T>(const GatedPass<T>&, T*, T*, cudaStream_t);                                 \
  template void gated_means_backward<T>(const GatedPass<T>&, const T*, const T*, const T*, T*, T*, T*, T*, \
                                        cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
