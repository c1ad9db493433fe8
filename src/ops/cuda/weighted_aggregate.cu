// Weighted sums over edges: a thread owns one column of one row and walks the row's edges in order, so that a gathered
// row is read by consecutive threads and results are the same bits on every run.
#include "ops/cuda/weighted_aggregate.h"

#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t items) { return static_cast<unsigned>((items + kThreads - 1) / kThreads); }

__device__ __forceinline__ std::int64_t thread_number() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

template <class T>
__global__ void sum_columns(WeightedPass<T> pass, const T* x, T* out) {
  wait_for_previous();
  const int columns = pass.heads * pass.width;
  const std::int64_t index = thread_number(), row = index / columns;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * columns), head = column / pass.width;
  const int stride = pass.each ? columns : pass.width;
  const T* values = x + (pass.each ? column : column - head * pass.width);
  T sum = 0;
  for (std::int64_t e = pass.offsets[row]; e < pass.offsets[row + 1]; ++e) {
    const std::int64_t n = pass.neighbours[e];
    T weight = pass.edge_weight != nullptr ? pass.edge_weight[e * pass.heads + head] : T(1);
    if (pass.their_weight != nullptr) {
      weight *= pass.their_weight[n];
    }
    sum += weight * values[n * stride];
  }
  out[index] = pass.own_weight != nullptr ? sum * pass.own_weight[row] : sum;
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
  if (pass.rows > 0) {
    launch(sum_columns<T>, blocks_for(pass.rows * pass.heads * pass.width), kThreads, 0, stream, pass, x, out);
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
