// Batch normalisation of few rows: a block takes all rows of four columns, so that nothing has to be passed between
// launches. Few blocks are at work, but three launches one after the other take longer than that.
#include "ops/cuda/batch_norm.cuh"
#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kColumns = 4;
constexpr int kKept = 8;  // rows per thread, kept in registers

template <class T>
inline constexpr int kThreads = sizeof(T) == sizeof(float) ? 1024 : 512;

/// The sums of a block, in shared memory: of kColumns values and of kColumns others.
struct BlockSums {
  double first[kColumns], second[kColumns];
};

/// Adds up over a block, in a fixed order; all threads may read `totals` then.
template <class T>
__device__ void add_block(const T (&a)[kColumns], const T (&b)[kColumns], BlockSums& totals) {
  constexpr int kWarps = kThreads<T> / 32;
  __shared__ double parts[kWarps][2 * kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const double first = warp_sum(double(a[c])), second = warp_sum(double(b[c]));
    if (threadIdx.x % 32 == 0) {
      parts[threadIdx.x / 32][c] = first;
      parts[threadIdx.x / 32][kColumns + c] = second;
    }
  }
  __syncthreads();
  if (threadIdx.x < 2 * kColumns) {
    double total = 0;
    for (int w = 0; w < kWarps; ++w) {
      total += parts[w][threadIdx.x];
    }
    (threadIdx.x < kColumns ? totals.first[threadIdx.x] : totals.second[threadIdx.x - kColumns]) = total;
  }
  __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(kThreads<T>, 1) normalise_small(BatchNorm<T> p) {
  wait_for_previous();
  const int column = int(blockIdx.x) * kColumns;
  const std::int64_t rows = counted_rows(p);
  Values<T, kColumns> kept[kKept];
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    const std::int64_t row = threadIdx.x + i * kThreads<T>;
    kept[i] = Values<T, kColumns>{};
    if (row < rows) {
      kept[i] = load_values<T, kColumns>(p.x + row * p.columns + column);
      const T scale = scale_of(p, row);
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        kept[i].at[c] *= scale;
      }
    }
  }
  if (p.own_moments) {
    __shared__ BlockSums around_zero, around_mean;
    T sum[kColumns] = {}, squares[kColumns] = {};
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        sum[c] += kept[i].at[c];
      }
    }
    add_block(sum, squares, around_zero);
    // Around a mean that may be off by its rounding; the sum of the differences says by how much.
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const T mean = T(around_zero.first[c] / double(rows));
      sum[c] = 0;
#pragma unroll
      for (int i = 0; i < kKept; ++i) {
        const T difference = threadIdx.x + i * kThreads<T> < rows ? kept[i].at[c] - mean : T(0);
        sum[c] += difference;
        squares[c] += difference * difference;
      }
    }
    add_block(sum, squares, around_mean);
    if (threadIdx.x < kColumns) {
      const int c = threadIdx.x;
      const double shift = around_mean.first[c] / double(rows);
      const double left = around_mean.second[c] - around_mean.first[c] * shift;
      keep_moments(p, column + c, rows, T(double(T(around_zero.first[c] / double(rows))) + shift),
                   T((left > 0 ? left : 0) / double(rows)));
    }
    __syncthreads();  // the block reads its columns' moments from where all others will
  }
  T factor[kColumns], shift[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    factor[c] = p.gamma[column + c] * inverse_deviation(p, column + c);
    shift[c] = p.beta[column + c] - p.mean[column + c] * factor[c];
  }
#pragma unroll
  for (int i = 0; i < kKept; ++i) {
    const std::int64_t row = threadIdx.x + i * kThreads<T>;
    if (row < p.rows) {
      Values<T, kColumns> y{};
#pragma unroll
      for (int c = 0; c < kColumns; ++c) {
        const T z = kept[i].at[c] * factor[c] + shift[c];
        y.at[c] = row < rows ? (z > 0 ? z : z * p.slope) : T(0);
      }
      store_values(p.y + row * p.columns + column, y);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads<T>, 1) backward_small(BatchNorm<T> p) {
  wait_for_previous();
  const int column = int(blockIdx.x) * kColumns;
  const std::int64_t rows = counted_rows(p);
  T mean[kColumns], inverse[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    mean[c] = p.mean[column + c];
    inverse[c] = inverse_deviation(p, column + c);
  }
  __shared__ BlockSums sums;
  T sum[kColumns] = {}, hat_sum[kColumns] = {};
#pragma unroll 4
  for (std::int64_t row = threadIdx.x; row < rows; row += kThreads<T>) {
    T dz[kColumns], hat[kColumns];
    before_activation<T, kColumns>(p, row * p.columns + column, scale_of(p, row), mean, inverse, dz, hat);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      sum[c] += dz[c];
      hat_sum[c] += dz[c] * hat[c];
    }
  }
  add_block(sum, hat_sum, sums);
  if (threadIdx.x < kColumns) {
    p.grad_beta[column + threadIdx.x] = T(sums.first[threadIdx.x]);
    p.grad_gamma[column + threadIdx.x] = T(sums.second[threadIdx.x]);
  }
  const T share = p.own_moments ? T(1) / T(rows) : T(0);
  T factor[kColumns], mean_term[kColumns], variance_term[kColumns];
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    factor[c] = p.gamma[column + c] * inverse[c];
    mean_term[c] = T(sums.first[c]) * share;
    variance_term[c] = T(sums.second[c]) * share;
  }
#pragma unroll 4
  for (std::int64_t row = threadIdx.x; row < p.rows; row += kThreads<T>) {
    const T scale = scale_of(p, row);
    T dz[kColumns], hat[kColumns];
    before_activation<T, kColumns>(p, row * p.columns + column, scale, mean, inverse, dz, hat);
    Values<T, kColumns> result;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      result.at[c] = row < rows ? (dz[c] - mean_term[c] - hat[c] * variance_term[c]) * factor[c] * scale : T(0);
    }
    store_values(p.grad_x + row * p.columns + column, result);
  }
}

template <class T>
bool is_small(const BatchNorm<T>& p) {
  return p.rows <= kKept * kThreads<T> && p.columns % kColumns == 0;
}

}  // namespace

template <class T>
bool run_small_batch_norm(const BatchNorm<T>& p, cudaStream_t stream) {
  if (!is_small(p) || !is_aligned(p.x) || !is_aligned(p.y)) {
    return false;
  }
  launch(normalise_small<T>, p.columns / kColumns, kThreads<T>, 0, stream, p);
  return true;
}

template <class T>
bool run_small_batch_norm_backward(const BatchNorm<T>& p, cudaStream_t stream) {
  if (!is_small(p) || !is_aligned(p.x) || !is_aligned(p.y_seen) || !is_aligned(p.grad_y) || !is_aligned(p.grad_x)) {
    return false;
  }
  launch(backward_small<T>, p.columns / kColumns, kThreads<T>, 0, stream, p);
  return true;
}

#define FACTORGCN_INSTANTIATE(T)                                            \
  template bool run_small_batch_norm<T>(const BatchNorm<T>&, cudaStream_t); \
  template bool run_small_batch_norm_backward<T>(const BatchNorm<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
