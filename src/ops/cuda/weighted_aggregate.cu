// Weighted sums over edges: a thread owns some columns of one row and walks the row's edges, or a share of them, in
// order, so that a gathered row is read by consecutive threads and results are the same bits on every run.
#include "ops/cuda/weighted_aggregate.h"

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t items) { return static_cast<unsigned>((items + kThreads - 1) / kThreads); }

__device__ __forceinline__ std::int64_t thread_number() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

/// How rows are laid out over a block's threads: `lanes` threads take neighbouring columns, and `slices` groups of them
/// share a row's edges.
struct SumLayout {
  int lanes = 1, slices = 1, rows = 1;
};

template <class T, int V>
__global__ void __launch_bounds__(kThreads) sum_columns(WeightedPass<T> pass, const T* x, T* out, SumLayout layout) {
  auto* parts = dynamic_shared<Values<T, V>>();
  wait_for_previous();
  const int columns = pass.heads * pass.width;
  const int group = threadIdx.x / layout.lanes, lane = threadIdx.x - group * layout.lanes;
  const int r = group / layout.slices, slice = group - r * layout.slices;
  const std::int64_t row = std::int64_t(blockIdx.x) * layout.rows + r;
  const int column = (blockIdx.y * layout.lanes + lane) * V, head = column / pass.width;
  const bool mine = r < layout.rows && row < pass.rows && column < columns;
  Values<T, V> sum{};
  if (mine) {
    const int stride = pass.each ? columns : pass.width;
    const T* values = x + (pass.each ? column : column - head * pass.width);
    const std::int64_t begin = pass.offsets[row], end = pass.offsets[row + 1];
    const std::int64_t share = (end - begin + layout.slices - 1) / layout.slices, from = begin + slice * share;
    const std::int64_t to = from + share < end ? from + share : end;
#pragma unroll 4
    for (std::int64_t e = from; e < to; ++e) {
      const std::int64_t n = pass.neighbours[e];
      T weight = pass.edge_weight != nullptr ? pass.edge_weight[e * pass.heads + head] : T(1);
      if (pass.their_weight != nullptr) {
        weight *= pass.their_weight[n];
      }
      const Values<T, V> theirs = load_values<T, V>(values + n * stride);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sum.at[v] += weight * theirs.at[v];
      }
    }
  }
  if (layout.slices > 1) {
    parts[threadIdx.x] = sum;
    __syncthreads();
  }
  if (!mine || slice != 0) {
    return;
  }
  const T own = pass.own_weight != nullptr ? pass.own_weight[row] : T(1);
  for (int other = 1; other < layout.slices; ++other) {
    const Values<T, V>& more = parts[threadIdx.x + other * layout.lanes];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      sum.at[v] += more.at[v];
    }
  }
#pragma unroll
  for (int v = 0; v < V; ++v) {
    sum.at[v] *= own;
  }
  store_values(out + row * columns + column, sum);
}

template <class T, int V>
void start_sums(const WeightedPass<T>& pass, const T* x, T* out, cudaStream_t stream) {
  // As many threads as a large GPU runs at a time, so that one long row does not hold up all others.
  constexpr std::int64_t kThreadsWanted = 256 * 1024;
  constexpr int kMostLanes = 64, kMostSlices = 8;
  const int vectors = pass.heads * pass.width / V;
  SumLayout layout;
  layout.lanes = vectors < kMostLanes ? vectors : kMostLanes;
  const std::int64_t wanted = kThreadsWanted / (pass.rows * vectors);
  const int fits = kThreads / layout.lanes, most = fits < kMostSlices ? fits : kMostSlices;
  layout.slices = wanted < 1 ? 1 : (wanted < most ? static_cast<int>(wanted) : most);
  layout.rows = kThreads / (layout.lanes * layout.slices);
  const dim3 grid(static_cast<unsigned>((pass.rows + layout.rows - 1) / layout.rows),
                  static_cast<unsigned>((vectors + layout.lanes - 1) / layout.lanes));
  launch(sum_columns<T, V>, grid, kThreads, layout.slices > 1 ? kThreads * sizeof(Values<T, V>) : 0, stream, pass, x,
         out, layout);
}

template <class T>
__global__ void shared_gradient(WeightedPass<T> pass, const T* grad_out, T* grad_x) {
  wait_for_previous();
  const std::int64_t index = thread_number(), row = index / pass.width;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * pass.width);
  T sum = 0;
  for (std::int64_t e = pass.offsets[row]; e < pass.offsets[row + 1]; ++e) {
    const std::int64_t n = pass.neighbours[e];
    const T* upstream = grad_out + n * pass.heads * pass.width + column;
    T edge = 0;
    for (int k = 0; k < pass.heads; ++k) {
      edge += pass.edge_weight[e * pass.heads + k] * upstream[k * pass.width];
    }
    sum += pass.their_weight != nullptr ? edge * pass.their_weight[n] : edge;
  }
  grad_x[index] = pass.own_weight != nullptr ? sum * pass.own_weight[row] : sum;
}

/// A warp for each row and head: its lanes share the columns of a product.
template <class T>
__global__ void edge_gradient(WeightedPass<T> pass, const T* x, const T* grad_out, T* grad) {
  wait_for_previous();
  const std::int64_t warp = thread_number() / 32, row = warp / pass.heads;
  if (row >= pass.rows) {
    return;
  }
  const int head = int(warp - row * pass.heads), lane = threadIdx.x % 32;
  const std::int64_t stride = pass.each ? std::int64_t(pass.heads) * pass.width : pass.width;
  const T* values = x + (pass.each ? head * pass.width : 0);
  const T* upstream = grad_out + (row * pass.heads + head) * pass.width;
  const T own = pass.own_weight != nullptr ? pass.own_weight[row] : T(1);
  for (std::int64_t e = pass.offsets[row]; e < pass.offsets[row + 1]; ++e) {
    const std::int64_t n = pass.neighbours[e];
    T dot = 0;
    for (int c = lane; c < pass.width; c += 32) {
      dot += values[n * stride + c] * upstream[c];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      dot += __shfl_xor_sync(0xffffffffu, dot, distance);
    }
    if (lane == 0) {
      grad[e * pass.heads + head] = dot * (pass.their_weight != nullptr ? own * pass.their_weight[n] : own);
    }
  }
}

template <class T>
__global__ void permute_rows(const T* in, const std::int64_t* in_to_out, std::int64_t edges, int columns, T* out) {
  wait_for_previous();
  const std::int64_t index = thread_number(), edge = index / columns;
  if (edge < edges) {
    out[in_to_out[edge] * columns + (index - edge * columns)] = in[index];
  }
}

}  // namespace

template <class T>
void weighted_sums(const WeightedPass<T>& pass, const T* x, T* out, cudaStream_t stream) {
  if (pass.rows == 0) {
    return;
  }
  if (pass.width % 4 == 0 && is_aligned(x) && is_aligned(out)) {
    start_sums<T, 4>(pass, x, out, stream);
  } else {
    start_sums<T, 1>(pass, x, out, stream);
  }
}

template <class T>
void weighted_shared_gradient(const WeightedPass<T>& pass, const T* grad_out, T* grad_x, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(shared_gradient<T>, blocks_for(pass.rows * pass.width), kThreads, 0, stream, pass, grad_out, grad_x);
  }
}

template <class T>
void weighted_edge_gradient(const WeightedPass<T>& pass, const T* x, const T* grad_out, T* grad, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(edge_gradient<T>, blocks_for(pass.rows * pass.heads * 32), kThreads, 0, stream, pass, x, grad_out, grad);
  }
}

template <class T>
void permute_to_out(const T* in, const std::int64_t* in_to_out, std::int64_t edges, int columns, T* out,
                    cudaStream_t stream) {
  if (edges > 0) {
    launch(permute_rows<T>, blocks_for(edges * columns), kThreads, 0, stream, in, in_to_out, edges, columns, out);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                                                         \
  template void weighted_sums<T>(const WeightedPass<T>&, const T*, T*, cudaStream_t);                    \
  template void weighted_shared_gradient<T>(const WeightedPass<T>&, const T*, T*, cudaStream_t);         \
  template void weighted_edge_gradient<T>(const WeightedPass<T>&, const T*, const T*, T*, cudaStream_t); \
  template void permute_to_out<T>(const T*, const std::int64_t*, std::int64_t, int, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE
template void permute_to_out<std::int32_t>(const std::int32_t*, const std::int64_t*, std::int64_t, int, std::int32_t*,
                                           cudaStream_t);

}  // namespace factorgcn::cuda
