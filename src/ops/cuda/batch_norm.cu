// Batch normalisation: moments per range of rows, merged in order, then one pass that normalises and activates. Of few
// rows all that is one launch: batch_norm_cluster.cu.
//
// Ranges follow the number of rows alone. Within a range sums are taken around the column's first value, so that a mean
// far from zero does not swallow the variance; ranges are merged in double precision, around their common mean.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/batch_norm.cuh"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kMaxRanges = 512;

/// Of many rows some hundred each, so that there are not more ranges to merge than it takes to keep the GPU busy.
__host__ __device__ int ranges_of(std::int64_t rows) {
  constexpr std::int64_t kShort = 32, kLong = 96, kEnough = 256;
  const std::int64_t by_short = (rows + kShort - 1) / kShort, by_long = (rows + kLong - 1) / kLong;
  const std::int64_t few = by_short < kEnough ? by_short : kEnough, many = by_long < kMaxRanges ? by_long : kMaxRanges;
  const std::int64_t ranges = few > many ? few : many;
  return static_cast<int>(ranges < 1 ? 1 : ranges);
}

/// A thread owns V columns of every `lanes`th row; a block's threads cover `vectors` * V columns.
template <int V>
struct Spread {
  int column, lane, lanes, vector, vectors;
  bool inside;

  __device__ Spread(int columns, int block_vectors) : vectors(block_vectors) {
    lanes = kThreads / vectors;
    lane = threadIdx.x / vectors;
    vector = threadIdx.x - lane * vectors;
    column = (blockIdx.x * vectors + vector) * V;
    inside = lane < lanes && column < columns;
  }
};

/// Gradients before the activation, and the normalised values.
template <class T, int V>
__device__ __forceinline__ void before_activation(const BatchNorm<T>& p, std::int64_t at, T scale,
                                                  const NormColumns<T, V>& of, T (&dz)[V], T (&hat)[V]) {
  const Values<T, V> g = load_values<T, V>(p.grad_y + at), x = load_values<T, V>(p.x + at);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const T scaled = x.at[v] * scale;
    dz[v] = scaled * of.factor[v] + of.shift[v] > 0 ? g.at[v] : g.at[v] * p.slope;
    hat[v] = (scaled - of.mean[v]) * of.inverse[v];
  }
}

__device__ __forceinline__ std::int64_t rows_of_range(std::int64_t rows) { return ceil_div(rows, ranges_of(rows)); }

/// Adds the lanes' two sums in order; the first lane's threads return them.
template <class T, int V>
__device__ void add_lanes(const Spread<V>& at, const T (&a)[V], const T (&b)[V], double (&first)[V],
                          double (&second)[V]) {
  __shared__ T parts[2][V][kThreads];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    parts[0][v][threadIdx.x] = a[v];
    parts[1][v][threadIdx.x] = b[v];
  }
  __syncthreads();
  if (at.lane == 0) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      first[v] = 0;
      second[v] = 0;
      for (int l = 0; l < at.lanes; ++l) {
        first[v] += parts[0][v][l * at.vectors + at.vector];
        second[v] += parts[1][v][l * at.vectors + at.vector];
      }
    }
  }
}

/// partials[range][column] = mean and sum of squared deviations.
template <class T, int V>
__global__ void __launch_bounds__(kThreads) moments(BatchNorm<T> p, int vectors) {
  wait_for_previous();
  const Spread<V> at(p.columns, vectors);
  const std::int64_t rows = counted_rows(p), range_rows = rows_of_range(rows);
  const std::int64_t begin = blockIdx.y * range_rows;
  const std::int64_t end = begin + range_rows < rows ? begin + range_rows : rows;
  if (begin >= end) {
    return;
  }
  T sum[V] = {}, squares[V] = {};
  Values<T, V> origin{};
  if (at.inside) {
    origin = load_values<T, V>(p.x + begin * p.columns + at.column);
    const T first_scale = scale_of(p, begin);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      origin.at[v] *= first_scale;
    }
#pragma unroll 4
    for (std::int64_t row = begin + at.lane; row < end; row += at.lanes) {
      const Values<T, V> x = load_values<T, V>(p.x + row * p.columns + at.column);
      const T scale = scale_of(p, row);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const T difference = x.at[v] * scale - origin.at[v];
        sum[v] += difference;
        squares[v] += difference * difference;
      }
    }
  }
  double sums[V], square_sums[V];
  add_lanes<T, V>(at, sum, squares, sums, square_sums);
  if (at.lane == 0 && at.inside) {
    const double count = double(end - begin);
    double* to = p.partials + (std::int64_t(blockIdx.y) * p.columns + at.column) * 2;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const double shift = sums[v] / count, left = square_sums[v] - sums[v] * shift;
      to[2 * v] = double(origin.at[v]) + shift;
      to[2 * v + 1] = left > 0 ? left : 0;
    }
  }
}

/// A warp per column: the mean of the ranges' means, then what the ranges' squares and the spread of their means make.
template <class T>
__global__ void merge_moments(BatchNorm<T> p) {
  wait_for_previous();
  const int column = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t rows = counted_rows(p), range_rows = rows_of_range(rows);
  const int ranges = ranges_of(rows);
  if (column >= p.columns) {
    return;
  }
  constexpr int kMost = kMaxRanges / 32;
  double means[kMost], squares = 0, counts[kMost], sum = 0;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    const int range = lane + i * 32;
    const std::int64_t begin = range * range_rows;
    const std::int64_t end = begin + range_rows < rows ? begin + range_rows : rows;
    means[i] = 0;
    counts[i] = 0;
    if (range < ranges && begin < end) {
      const double* from = p.partials + (std::int64_t(range) * p.columns + column) * 2;
      means[i] = from[0];
      squares += from[1];
      counts[i] = double(end - begin);
    }
    sum += counts[i] * means[i];
  }
  const double mean = warp_sum(sum) / double(rows);
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    squares += counts[i] * (means[i] - mean) * (means[i] - mean);
  }
  squares = warp_sum(squares);
  if (lane == 0) {
    keep_moments(p, column, rows, T(mean), T(squares / double(rows)));
  }
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads) normalise(BatchNorm<T> p, int vectors) {
  wait_for_previous();
  const Spread<V> at(p.columns, vectors);
  if (!at.inside) {
    return;
  }
  const std::int64_t rows = counted_rows(p);
  const NormColumns<T, V> of(p, at.column);
#pragma unroll 4
  for (std::int64_t row = std::int64_t(blockIdx.y) * at.lanes + at.lane; row < p.rows;
       row += std::int64_t(gridDim.y) * at.lanes) {
    Values<T, V> x = load_values<T, V>(p.x + row * p.columns + at.column);
    const T scale = scale_of(p, row);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const T z = x.at[v] * scale * of.factor[v] + of.shift[v];
      x.at[v] = row < rows ? (z > 0 ? z : z * p.slope) : T(0);
    }
    store_values(p.y + row * p.columns + at.column, x);
  }
}

/// partials[range][column] = sums of dz and of dz * x_hat.
template <class T, int V>
__global__ void __launch_bounds__(kThreads) backward_sums(BatchNorm<T> p, int vectors) {
  wait_for_previous();
  const Spread<V> at(p.columns, vectors);
  const std::int64_t rows = counted_rows(p), range_rows = rows_of_range(rows);
  const std::int64_t begin = blockIdx.y * range_rows;
  const std::int64_t end = begin + range_rows < rows ? begin + range_rows : rows;
  T sum[V] = {}, hat_sum[V] = {};
  if (at.inside) {
    const NormColumns<T, V> of(p, at.column);
#pragma unroll 2
    for (std::int64_t row = begin + at.lane; row < end; row += at.lanes) {
      T dz[V], hat[V];
      before_activation<T, V>(p, row * p.columns + at.column, scale_of(p, row), of, dz, hat);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sum[v] += dz[v];
        hat_sum[v] += dz[v] * hat[v];
      }
    }
  }
  double sums[V], hat_sums[V];
  add_lanes<T, V>(at, sum, hat_sum, sums, hat_sums);
  if (at.lane == 0 && at.inside) {
    double* to = p.partials + (std::int64_t(blockIdx.y) * p.columns + at.column) * 2;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      to[2 * v] = sums[v];
      to[2 * v + 1] = hat_sums[v];
    }
  }
}

template <class T>
__global__ void merge_backward_sums(BatchNorm<T> p, int ranges) {
  wait_for_previous();
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

template <class T, int V>
__global__ void __launch_bounds__(kThreads) backward_rows(BatchNorm<T> p, int vectors) {
  wait_for_previous();
  const Spread<V> at(p.columns, vectors);
  if (!at.inside) {
    return;
  }
  const std::int64_t rows = counted_rows(p);
  const T share = p.own_moments ? T(1) / T(rows) : T(0);
  const NormColumns<T, V> of(p, at.column);
  T mean_term[V], variance_term[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    mean_term[v] = p.grad_beta[at.column + v] * share;
    variance_term[v] = p.grad_gamma[at.column + v] * share;
  }
#pragma unroll 2
  for (std::int64_t row = std::int64_t(blockIdx.y) * at.lanes + at.lane; row < p.rows;
       row += std::int64_t(gridDim.y) * at.lanes) {
    const T scale = scale_of(p, row);
    T dz[V], hat[V];
    before_activation<T, V>(p, row * p.columns + at.column, scale, of, dz, hat);
    Values<T, V> result;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      result.at[v] = row < rows ? (dz[v] - mean_term[v] - hat[v] * variance_term[v]) * of.factor[v] * scale : T(0);
    }
    store_values(p.grad_x + row * p.columns + at.column, result);
  }
}

/// How columns and rows are spread over blocks.
template <int V>
struct Grid {
  int vectors, blocks, ranges;
  dim3 by_range, by_row;

  Grid(std::int64_t rows, int columns) {
    const int row_vectors = columns / V;
    vectors = row_vectors < 64 ? row_vectors : 64;
    blocks = ceil_div(row_vectors, vectors);
    ranges = ranges_of(rows);
    by_range = dim3(blocks, ranges);
    const int wanted = ceil_div(rows, 4 * (kThreads / vectors));
    by_row = dim3(blocks, wanted < 2048 ? wanted : 2048);
  }
};

template <class T, int V>
void forward_as(const BatchNorm<T>& p, cudaStream_t stream) {
  const Grid<V> grid(p.rows, p.columns);
  if (p.own_moments) {
    launch(moments<T, V>, grid.by_range, kThreads, 0, stream, p, grid.vectors);
    launch(merge_moments<T>, ceil_div(p.columns, 4), 128, 0, stream, p);
  }
  launch(normalise<T, V>, grid.by_row, kThreads, 0, stream, p, grid.vectors);
}

template <class T, int V>
void backward_as(const BatchNorm<T>& p, cudaStream_t stream) {
  const Grid<V> grid(p.rows, p.columns);
  launch(backward_sums<T, V>, grid.by_range, kThreads, 0, stream, p, grid.vectors);
  launch(merge_backward_sums<T>, ceil_div(p.columns, 4), 128, 0, stream, p, grid.ranges);
  launch(backward_rows<T, V>, grid.by_row, kThreads, 0, stream, p, grid.vectors);
}

}  // namespace

std::int64_t batch_norm_partials(std::int64_t rows, int columns) { return std::int64_t(2) * ranges_of(rows) * columns; }

template <class T>
void run_batch_norm(const BatchNorm<T>& p, cudaStream_t stream) {
  if (batch_norm_in_one_launch(p, stream)) {
    return;
  }
  if (p.columns % 4 == 0 && is_aligned(p.x) && is_aligned(p.y)) {
    forward_as<T, 4>(p, stream);
  } else {
    forward_as<T, 1>(p, stream);
  }
}

template <class T>
void run_batch_norm_backward(const BatchNorm<T>& p, cudaStream_t stream) {
  if (batch_norm_backward_in_one_launch(p, stream)) {
    return;
  }
  if (p.columns % 4 == 0 && is_aligned(p.x) && is_aligned(p.grad_y) && is_aligned(p.grad_x)) {
    backward_as<T, 4>(p, stream);
  } else {
    backward_as<T, 1>(p, stream);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                      \
  template void run_batch_norm<T>(const BatchNorm<T>&, cudaStream_t); \
  template void run_batch_norm_backward<T>(const BatchNorm<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
