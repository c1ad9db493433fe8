// Batch normalisation: moments per range of rows, merged in order, then one pass that normalises and activates.
//
// Ranges follow the number of rows alone. Within a range sums are taken around the column's first value, so that a mean
// far from zero does not swallow the variance; ranges are merged in double precision as Welford's formula has it.
#include "ops/cuda/batch_norm.h"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kColumns = 32;                      // columns of a block: a warp reads 128 bytes of a row
constexpr int kLanes = kThreads / kColumns;       // rows that a block reads at a time
constexpr int kMaxRanges = 256;

int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

int ranges_of(std::int64_t rows) {
  const std::int64_t wanted = (rows + 4 * kLanes - 1) / (4 * kLanes);
  return static_cast<int>(wanted < 1 ? 1 : (wanted < kMaxRanges ? wanted : kMaxRanges));
}

/// Two sums of each column over a range of rows, by the block; thread 0 .. 31 return them.
template <class T, class Term>
__device__ void range_sums(std::int64_t begin, std::int64_t end, Term term, double& first, double& second) {
  __shared__ T parts[2][kLanes][kColumns];
  const int c = threadIdx.x % kColumns, lane = threadIdx.x / kColumns;
  T a = 0, b = 0;
#pragma unroll 4
  for (std::int64_t row = begin + lane; row < end; row += kLanes) {
    term(row, a, b);
  }
  parts[0][lane][c] = a;
  parts[1][lane][c] = b;
  __syncthreads();
  first = 0;
  second = 0;
  if (lane == 0) {
    for (int l = 0; l < kLanes; ++l) {
      first += parts[0][l][c];
      second += parts[1][l][c];
    }
  }
}

/// partials[range][column] = mean and sum of squared deviations.
template <class T>
__global__ void __launch_bounds__(kThreads) moments(BatchNorm<T> p, std::int64_t range_rows) {
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  const std::int64_t begin = blockIdx.y * range_rows;
  const std::int64_t end = begin + range_rows < p.rows ? begin + range_rows : p.rows;
  const bool inside = column < p.columns && begin < end;
  const auto value = [&](std::int64_t row) {
    return p.x[row * p.columns + column] * (p.row_scale != nullptr ? p.row_scale[row] : T(1));
  };
  const T origin = inside ? value(begin) : T(0);
  double sum, squares;
  range_sums<T>(begin, inside ? end : begin, [&](std::int64_t row, T& a, T& b) {
    const T difference = value(row) - origin;
    a += difference;
    b += difference * difference;
  }, sum, squares);
  if (threadIdx.x < kColumns && inside) {
    const double count = double(end - begin), shift = sum / count;
    const double left = squares - sum * shift;
    double* to = p.partials + (std::int64_t(blockIdx.y) * p.columns + column) * 2;
    to[0] = origin + shift;
    to[1] = left > 0 ? left : 0;
  }
}

/// A warp per column: each thread merges every 32nd range, then pairs of threads in a fixed order.
template <class T>
__global__ void merge_moments(BatchNorm<T> p, std::int64_t range_rows, int ranges) {
  const int column = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (column >= p.columns) {
    return;
  }
  double count = 0, mean = 0, squares = 0;
  const auto merge = [&](double more, double its_mean, double its_squares) {
    if (more > 0) {
      const double total = count + more, difference = its_mean - mean;
      mean += difference * (more / total);
      squares += its_squares + difference * difference * (count * more / total);
      count = total;
    }
  };
  for (int range = lane; range < ranges; range += 32) {
    const std::int64_t begin = range * range_rows;
    const std::int64_t end = begin + range_rows < p.rows ? begin + range_rows : p.rows;
    if (begin < end) {
      const double* from = p.partials + (std::int64_t(range) * p.columns + column) * 2;
      merge(double(end - begin), from[0], from[1]);
    }
  }
  for (int step = 16; step > 0; step /= 2) {
    const double more = __shfl_down_sync(~0u, count, step), its_mean = __shfl_down_sync(~0u, mean, step),
                 its_squares = __shfl_down_sync(~0u, squares, step);
    merge(more, its_mean, its_squares);
  }
  if (lane == 0) {
    p.mean[column] = T(mean);
    p.variance[column] = T(squares / double(p.rows));
  }
}

template <class T>
__device__ __forceinline__ T inverse_deviation(const BatchNorm<T>& p, int column) {
  return T(1) / sqrt(p.variance[column] + p.eps);
}

template <class T>
__global__ void __launch_bounds__(kThreads) normalise(BatchNorm<T> p) {
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  if (column >= p.columns) {
    return;
  }
  const T factor = p.gamma[column] * inverse_deviation(p, column), shift = p.beta[column] - p.mean[column] * factor;
#pragma unroll 4
  for (std::int64_t row = std::int64_t(blockIdx.y) * kLanes + threadIdx.x / kColumns; row < p.rows;
       row += std::int64_t(gridDim.y) * kLanes) {
    const T scale = p.row_scale != nullptr ? p.row_scale[row] : T(1);
    const T z = p.x[row * p.columns + column] * scale * factor + shift;
    p.y[row * p.columns + column] = z > 0 ? z : z * p.slope;
  }
}

template <class T>
__device__ __forceinline__ T before_activation(const BatchNorm<T>& p, std::int64_t at) {
  return p.y_seen[at] > 0 ? p.grad_y[at] : p.grad_y[at] * p.slope;
}

/// partials[range][column] = sums of dz and of dz * x_hat.
template <class T>
__global__ void __launch_bounds__(kThreads) backward_sums(BatchNorm<T> p, std::int64_t range_rows) {
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  const std::int64_t begin = blockIdx.y * range_rows;
  const std::int64_t end = begin + range_rows < p.rows ? begin + range_rows : p.rows;
  const bool inside = column < p.columns && begin < end;
  const T mean = inside ? p.mean[column] : T(0), inverse = inside ? inverse_deviation(p, column) : T(0);
  double sum, hat_sum;
  range_sums<T>(begin, inside ? end : begin, [&](std::int64_t row, T& a, T& b) {
    const std::int64_t at = row * p.columns + column;
    const T dz = before_activation(p, at);
    const T scale = p.row_scale != nullptr ? p.row_scale[row] : T(1);
    a += dz;
    b += dz * ((p.x[at] * scale - mean) * inverse);
  }, sum, hat_sum);
  if (threadIdx.x < kColumns && column < p.columns) {
    double* to = p.partials + (std::int64_t(blockIdx.y) * p.columns + column) * 2;
    to[0] = sum;
    to[1] = hat_sum;
  }
}

template <class T>
__global__ void merge_backward_sums(BatchNorm<T> p, int ranges) {
  const int column = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (column >= p.columns) {
    return;
  }
  double sum = 0, hat_sum = 0;
  for (int range = lane; range < ranges; range += 32) {
    const double* from = p.partials + (std::int64_t(range) * p.columns + column) * 2;
    sum += from[0];
    hat_sum += from[1];
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(~0u, sum, step);
    hat_sum += __shfl_down_sync(~0u, hat_sum, step);
  }
  if (lane == 0) {
    p.grad_beta[column] = T(sum);
    p.grad_gamma[column] = T(hat_sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) backward_rows(BatchNorm<T> p) {
  const int column = blockIdx.x * kColumns + threadIdx.x % kColumns;
  if (column >= p.columns) {
    return;
  }
  const T inverse = inverse_deviation(p, column), factor = p.gamma[column] * inverse, mean = p.mean[column];
  const T share = p.own_moments ? T(1) / T(p.rows) : T(0);
  const T mean_term = p.grad_beta[column] * share, variance_term = p.grad_gamma[column] * share;
#pragma unroll 4
  for (std::int64_t row = std::int64_t(blockIdx.y) * kLanes + threadIdx.x / kColumns; row < p.rows;
       row += std::int64_t(gridDim.y) * kLanes) {
    const std::int64_t at = row * p.columns + column;
    const T scale = p.row_scale != nullptr ? p.row_scale[row] : T(1);
    const T hat = (p.x[at] * scale - mean) * inverse;
    p.grad_x[at] = (before_activation(p, at) - mean_term - hat * variance_term) * factor * scale;
  }
}

template <class T>
__global__ void running_columns(int columns, const T* mean, const T* variance, T momentum, T unbiased, T* running_mean,
                                T* running_variance) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < columns) {
    running_mean[column] = running_mean[column] * (1 - momentum) + momentum * mean[column];
    running_variance[column] = running_variance[column] * (1 - momentum) + momentum * unbiased * variance[column];
  }
}

dim3 row_grid(std::int64_t rows, int columns) {
  const std::int64_t wanted = (rows + 4 * kLanes - 1) / (4 * kLanes);
  return dim3(ceil_div(columns, kColumns), static_cast<unsigned>(wanted < 2048 ? wanted : 2048));
}

}  // namespace

std::int64_t batch_norm_partials(std::int64_t rows, int columns) {
  return std::int64_t(2) * ranges_of(rows) * columns;
}

template <class T>
void run_batch_norm(const BatchNorm<T>& p, cudaStream_t stream) {
  if (p.own_moments) {
    const int ranges = ranges_of(p.rows);
    const std::int64_t range_rows = ceil_div(p.rows, ranges);
    moments<T><<<dim3(ceil_div(p.columns, kColumns), ranges), kThreads, 0, stream>>>(p, range_rows);
    merge_moments<T><<<ceil_div(p.columns, 4), 128, 0, stream>>>(p, range_rows, ranges);
  }
  normalise<T><<<row_grid(p.rows, p.columns), kThreads, 0, stream>>>(p);
}

template <class T>
void run_batch_norm_backward(const BatchNorm<T>& p, cudaStream_t stream) {
  const int ranges = ranges_of(p.rows);
  const std::int64_t range_rows = ceil_div(p.rows, ranges);
  backward_sums<T><<<dim3(ceil_div(p.columns, kColumns), ranges), kThreads, 0, stream>>>(p, range_rows);
  merge_backward_sums<T><<<ceil_div(p.columns, 4), 128, 0, stream>>>(p, ranges);
  backward_rows<T><<<row_grid(p.rows, p.columns), kThreads, 0, stream>>>(p);
}

template <class T>
void update_running(int columns, const T* mean, const T* variance, T momentum, T unbiased, T* running_mean,
                    T* running_variance, cudaStream_t stream) {
  running_columns<T><<<ceil_div(columns, 128), 128, 0, stream>>>(columns, mean, variance, momentum, unbiased,
                                                                 running_mean, running_variance);
}

#define FACTORGCN_INSTANTIATE(T)                                              \
  template void run_batch_norm<T>(const BatchNorm<T>&, cudaStream_t);         \
  template void run_batch_norm_backward<T>(const BatchNorm<T>&, cudaStream_t); \
  template void update_running<T>(int, const T*, const T*, T, T, T*, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
