// What the kernels of batch normalisation share: batch_norm.cu in three launches, batch_norm_cluster.cu in one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "ops/cuda/batch_norm.h"

namespace factorgcn::cuda {

/// False where it does not apply, with nothing launched.
template <class T>
bool batch_norm_in_one_launch(const BatchNorm<T>& problem, cudaStream_t stream);
template <class T>
bool batch_norm_backward_in_one_launch(const BatchNorm<T>& problem, cudaStream_t stream);

__host__ __device__ inline int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// Rows that count. Ranges follow from them alone, so that padding does not even move where sums are cut.
template <class T>
__device__ __forceinline__ std::int64_t counted_rows(const BatchNorm<T>& p) {
  return p.real_rows != nullptr ? *p.real_rows : p.rows;
}

template <class T>
__device__ __forceinline__ T scale_of(const BatchNorm<T>& p, std::int64_t row) {
  return p.row_scale != nullptr ? p.row_scale[row] : T(1);
}

template <class T>
__device__ __forceinline__ T inverse_deviation(const BatchNorm<T>& p, int column) {
  return T(1) / sqrt(p.variance[column] + p.eps);
}

/// What V columns' values go through, forward and back: the same arithmetic, so that both find the same values
/// positive.
template <class T, int V>
struct NormColumns {
  T mean[V], inverse[V], factor[V], shift[V];

  __device__ __forceinline__ NormColumns(const BatchNorm<T>& p, int column) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      mean[v] = p.mean[column + v];
      inverse[v] = inverse_deviation(p, column + v);
      factor[v] = p.gamma[column + v] * inverse[v];
      shift[v] = p.beta[column + v] - mean[v] * factor[v];
    }
  }
};

/// Sums over a warp in a fixed order; every thread returns it.
__device__ __forceinline__ double warp_sum(double value) {
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_xor_sync(~0u, value, step);
  }
  return value;
}

/// Writes a column's moments and moves its running estimates towards them.
template <class T>
__device__ __forceinline__ void keep_moments(const BatchNorm<T>& p, int column, std::int64_t rows, T mean, T variance) {
  p.mean[column] = mean;
  p.variance[column] = variance;
  if (p.running_mean != nullptr) {
    const T unbiased = rows > 1 ? T(double(rows) / double(rows - 1)) : T(1), rest = 1 - p.momentum;
    p.running_mean[column] = p.running_mean[column] * rest + p.momentum * mean;
    p.running_variance[column] = p.running_variance[column] * rest + p.momentum * unbiased * variance;
  }
}

}  // namespace factorgcn::cuda
