// Batch normalisation of few rows in one launch each way, where three short ones would mostly wait for each other.
//
// A cluster of blocks takes a group of columns and each of its blocks a range of rows, which its threads read once and
// keep in registers. Blocks sum their rows, read each other's sums from shared memory after a barrier, merge them in
// double precision, all in the same order, and go on with their rows.
//
// Why 16 blocks and two vectors of 16 bytes a row: a group is then the 32 bytes that the second-level cache hands out
// at a time, and 64 columns of float32 are 8 clusters, 128 blocks for the 132 multiprocessors of an H200. Clusters of
// 8, the size that every device has, would need groups of 16 bytes for that and read everything twice. In float64
// groups are of half as many columns and clusters twice as many; nothing else differs.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/batch_norm.cuh"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/instructions.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kCluster = 16;
constexpr int kThreads = 512;
constexpr int kVectors = 2;                  // of a group's row; a thread has one of them
constexpr int kLanes = kThreads / kVectors;  // rows that a block reads at a time
constexpr int kHeld = 4;                     // rows of a thread
// Of a multiprocessor, so that 8 clusters run at once even where the multiprocessors that lie together are not a
// multiple of 16. That leaves a thread 64 registers.
constexpr int kPerProcessor = 2;
static_assert(kFewRows <= kCluster * kLanes * kHeld);

template <class T>
constexpr int kWidth = 16 / sizeof(T);
template <class T>
constexpr int kColumns = kVectors* kWidth<T>;

/// A block's dynamic shared memory (the other blocks of its cluster read it, so that a static array will not do). Rows
/// of `parts` are a little longer than needed: a warp's two vectors then write to different banks.
template <class T>
struct Shared {
  T parts[2 * kColumns<T>][kLanes + 4];
  double totals[2 * kColumns<T>];
  double origins[kColumns<T>];  // forward
  T factors[kColumns<T>];       // backward
  T merged[2 * kColumns<T>];
};

/// Which columns and rows are a thread's. Ranges follow from the counted rows alone.
template <class T>
struct Share {
  int first_column, column, vector, lane, rows, range_rows, begin, end;

  __device__ explicit Share(const BatchNorm<T>& p) {
    first_column = blockIdx.y * kColumns<T>;
    vector = threadIdx.x % kVectors;
    lane = threadIdx.x / kVectors;
    column = first_column + vector * kWidth<T>;
    rows = static_cast<int>(counted_rows(p));
    range_rows = ceil_div(rows, kCluster);
    begin = first_of(blockIdx.x);
    end = first_of(blockIdx.x + 1);
  }

  __device__ int first_of(int block) const { return block * range_rows < rows ? block * range_rows : rows; }
  __device__ int row(int held) const { return begin + lane + held * kLanes; }
};

template <class T>
using Vector = Values<T, kWidth<T>>;

/// One of the thread's rows of an array; zeros where it has no such row.
template <class T>
__device__ __forceinline__ Vector<T> read_row(const BatchNorm<T>& p, const Share<T>& at, const T* from, int held) {
  return at.row(held) < at.end ? load_values<T, kWidth<T>>(from + std::int64_t(at.row(held)) * p.columns + at.column)
                               : Vector<T>{};
}

template <class T>
__device__ __forceinline__ T read_scale(const BatchNorm<T>& p, const Share<T>& at, int held) {
  return at.row(held) < at.end ? scale_of(p, at.row(held)) : T(0);
}

template <class T>
__device__ __forceinline__ void write_rows(const BatchNorm<T>& p, const Share<T>& at, const Vector<T> (&values)[kHeld],
                                           T* to) {
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    if (at.row(h) < at.end) {
      store_values(to + std::int64_t(at.row(h)) * p.columns + at.column, values[h]);
    }
  }
  for (int row = at.rows + blockIdx.x * kLanes + at.lane; row < p.rows; row += kCluster * kLanes) {  // padding
    store_values(to + std::int64_t(row) * p.columns + at.column, Vector<T>{});
  }
}

/// totals = two sums per column over the block's rows: first the lanes of a warp, then the warp's. To be read after the
/// next barrier.
template <class T>
__device__ __forceinline__ void sum_block(Shared<T>& shared, const Share<T>& at, const T (&a)[kWidth<T>],
                                          const T (&b)[kWidth<T>]) {
  constexpr int kSums = 2 * kColumns<T>;
  static_assert(kSums <= kThreads / 32);
#pragma unroll
  for (int v = 0; v < kWidth<T>; ++v) {
    shared.parts[at.vector * kWidth<T> + v][at.lane] = a[v];
    shared.parts[kColumns<T> + at.vector * kWidth<T> + v][at.lane] = b[v];
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp < kSums) {
    double sum = 0;
#pragma unroll
    for (int i = lane; i < kLanes; i += 32) {
      sum += shared.parts[warp][i];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
      shared.totals[warp] = sum;
    }
  }
}

/// Adds what neighbouring threads have, one for each block of the cluster, in a fixed order; all of them return it.
__device__ __forceinline__ double cluster_sum(double value) {
#pragma unroll
  for (int step = kCluster / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(~0u, value, step);
  }
  return value;
}

template <class T>
__global__ void __launch_bounds__(kThreads, kPerProcessor) forward_in_one(BatchNorm<T> p) {
  constexpr int V = kWidth<T>, C = kColumns<T>;
  static_assert(C * kCluster % 32 == 0);  // whole warps merge
  Shared<T>& shared = *dynamic_shared<Shared<T>>();
  wait_for_previous();
  const Share<T> at(p);
  Vector<T> x[kHeld], origin{};
  T scale[kHeld], gamma[V], beta[V];
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    x[h] = read_row(p, at, p.x, h);
    scale[h] = read_scale(p, at, h);
  }
  if (at.begin < at.end) {
    origin = load_values<T, V>(p.x + std::int64_t(at.begin) * p.columns + at.column);
  }
  const T first_scale = at.begin < at.end ? scale_of(p, at.begin) : T(0);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    gamma[v] = p.gamma[at.column + v];
    beta[v] = p.beta[at.column + v];
  }
  const double share = 1.0 / at.rows;
  T sum[V] = {}, squares[V] = {};
#pragma unroll
  for (int v = 0; v < V; ++v) {
    origin.at[v] *= first_scale;
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      x[h].at[v] *= scale[h];
      const T difference = at.row(h) < at.end ? x[h].at[v] - origin.at[v] : T(0);
      sum[v] += difference;
      squares[v] += difference * difference;
    }
    if (at.lane == 0) {
      shared.origins[at.vector * V + v] = origin.at[v];
    }
  }
  sum_block<T>(shared, at, sum, squares);
  arrive_at_cluster();
  wait_for_cluster();
  const bool merges = threadIdx.x < C * kCluster;
  T mean = 0, variance = 0;
  if (merges) {
    // Sums around the blocks' first values become sums around the first of all: a value of the column itself is never
    // so far from the mean that this would cost a double more than a few digits.
    const int column = threadIdx.x / kCluster, block = threadIdx.x % kCluster;
    const Shared<T>& theirs = *shared_of_block(&shared, block);
    const double first = shared_of_block(&shared, 0)->origins[column], apart = theirs.origins[column] - first;
    const double block_sum = theirs.totals[column], count = at.first_of(block + 1) - at.first_of(block);
    const double all = cluster_sum(count > 0 ? block_sum + count * apart : 0);
    const double all_squares =
        cluster_sum(count > 0 ? theirs.totals[C + column] + apart * (2 * block_sum + count * apart) : 0);
    const double shift = all * share, left = all_squares - all * shift;
    mean = T(first + shift);
    variance = T(left > 0 ? left * share : 0);
    if (block == 0) {
      shared.merged[column] = mean;
      shared.merged[C + column] = T(1) / sqrt(variance + p.eps);
    }
  }
  arrive_at_cluster_as_reader();  // the others' sums are read: they may end
  __syncthreads();
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const T factor = gamma[v] * shared.merged[C + at.vector * V + v];
    const T shift = beta[v] - shared.merged[at.vector * V + v] * factor;
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      const T z = x[h].at[v] * factor + shift;
      x[h].at[v] = z > 0 ? z : z * p.slope;
    }
  }
  write_rows(p, at, x, p.y);
  if (blockIdx.x == 0 && merges && threadIdx.x % kCluster == 0) {
    keep_moments(p, at.first_column + threadIdx.x / kCluster, at.rows, mean, variance);
  }
  wait_for_cluster();
}

template <class T>
__global__ void __launch_bounds__(kThreads, kPerProcessor) backward_in_one(BatchNorm<T> p) {
  constexpr int V = kWidth<T>, C = kColumns<T>;
  Shared<T>& shared = *dynamic_shared<Shared<T>>();
  wait_for_previous();
  const Share<T> at(p);
  Vector<T> dz[kHeld], hat[kHeld];
  T scale[kHeld], sum[V] = {}, hat_sum[V] = {};
  // All that is to be read first, then what takes long to compute.
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    dz[h] = read_row(p, at, p.grad_y, h);
    hat[h] = read_row(p, at, p.x, h);
    scale[h] = read_scale(p, at, h);
  }
  const NormColumns<T, V> of(p, at.column);
  const T share = p.own_moments ? T(1) / T(at.rows) : T(0);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    if (at.lane == 0) {
      shared.factors[at.vector * V + v] = of.factor[v];  // a register less until it is needed again
    }
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      T &d = dz[h].at[v], &x = hat[h].at[v];
      x *= scale[h];
      d = x * of.factor[v] + of.shift[v] > 0 ? d : d * p.slope;
      x = (x - of.mean[v]) * of.inverse[v];
      sum[v] += d;
      hat_sum[v] += d * x;
    }
  }
  sum_block<T>(shared, at, sum, hat_sum);
  arrive_at_cluster();
  wait_for_cluster();
  if (threadIdx.x < 2 * C * kCluster) {
    const int sum_number = threadIdx.x / kCluster, block = threadIdx.x % kCluster;
    const T all = T(cluster_sum(shared_of_block(&shared, block)->totals[sum_number]));
    if (block == 0) {
      shared.merged[sum_number] = all * share;
      if (blockIdx.x == 0) {
        T* to = sum_number < C ? p.grad_beta : p.grad_gamma;
        to[at.first_column + sum_number % C] = all;
      }
    }
  }
  arrive_at_cluster_as_reader();  // the others' sums are read: they may end
  __syncthreads();
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const int c = at.vector * V + v;
    const T mean_term = shared.merged[c], variance_term = shared.merged[C + c], factor = shared.factors[c];
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      dz[h].at[v] = (dz[h].at[v] - mean_term - hat[h].at[v] * variance_term) * factor * scale[h];
    }
  }
  write_rows(p, at, dz, p.grad_x);
  wait_for_cluster();
}

template <class T>
bool launch_in_one(void (*kernel)(BatchNorm<T>), const BatchNorm<T>& p, cudaStream_t stream) {
  constexpr std::size_t shared = sizeof(Shared<T>);
  if (!p.in_one_launch || p.rows > kFewRows || p.columns % kColumns<T> != 0 ||
      !runs_in_clusters(reinterpret_cast<const void*>(kernel), kCluster, kThreads, shared)) {
    return false;
  }
  launch_clusters(kernel, dim3(kCluster, p.columns / kColumns<T>), kCluster, kThreads, shared, stream, p);
  return true;
}

}  // namespace

/// Moments that are given need no sums: that is one launch anyway, of as many blocks as it likes.
template <class T>
bool batch_norm_in_one_launch(const BatchNorm<T>& p, cudaStream_t stream) {
  return p.own_moments && is_aligned(p.x) && is_aligned(p.y) && launch_in_one(forward_in_one<T>, p, stream);
}

template <class T>
bool batch_norm_backward_in_one_launch(const BatchNorm<T>& p, cudaStream_t stream) {
  return is_aligned(p.x) && is_aligned(p.grad_y) && is_aligned(p.grad_x) &&
         launch_in_one(backward_in_one<T>, p, stream);
}

#define FACTORGCN_INSTANTIATE(T)                                                \
  template bool batch_norm_in_one_launch<T>(const BatchNorm<T>&, cudaStream_t); \
  template bool batch_norm_backward_in_one_launch<T>(const BatchNorm<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
