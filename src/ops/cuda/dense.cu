// Products of many rows with a small matrix, and their gradients: the kernels and how they are started. A block's work
// is in dense_product.cuh and dense_weight_sums.cuh.
//
// Gradients take two launches. In the first some blocks compute grad_x (with the bias as one more column, whose result
// is the gradient of bias_scale) and others partial sums of the weight gradient over fixed ranges of rows; the second
// adds the partial sums in order. No atomics: the same bits each time.
#include "ops/cuda/dense.h"

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/dense_product.cuh"
#include "ops/cuda/dense_weight_sums.cuh"

namespace factorgcn::cuda {
namespace {

using namespace dense_map;

template <class T, bool kNext>
__global__ void __launch_bounds__(kThreads, sizeof(T) == sizeof(float) ? 4 : 2) multiply(Product<T> product) {
  __shared__ ProductTile<T> tile;
  wait_for_previous();
  multiply_any_tile<T, kNext>(product, blockIdx.x, tile);
}

/// Blocks of weight sums come first: they take longest.
template <class T>
__global__ void __launch_bounds__(kThreads, 4)
    gradients(Product<T> product, WeightSums<T> weights, int weight_blocks, WeightSums<T> other, int other_blocks) {
  __shared__ union Tile {
    ProductTile<T> product;
    WeightTile<T> weights;
    __device__ Tile() {}
  } tile;
  wait_for_previous();
  const int block = int(blockIdx.x);
  if (block < weight_blocks + other_blocks) {
    // One place in the code for both: what is not in the instruction cache takes longer than these sums.
    const WeightSums<T> sums = block < weight_blocks ? weights : other;
    sum_weights(sums, block < weight_blocks ? block : block - weight_blocks, tile.weights);
  } else {
    multiply_any_tile<T, false>(product, block - weight_blocks - other_blocks, tile.product);
  }
}

/// Several maps' sums; kernels' arguments have 4 KB.
template <class T>
struct ManyWeightSums {
  int count = 0;
  int first_block[kMostWeightSums] = {};
  WeightSums<T> at[kMostWeightSums];
};
static_assert(sizeof(ManyWeightSums<float>) <= 4096 && sizeof(ManyWeightSums<double>) <= 4096);

template <class T>
__global__ void __launch_bounds__(kThreads, 4) sum_many_weights(ManyWeightSums<T> sums) {
  __shared__ WeightTile<T> tile;
  wait_for_previous();
  const int block = int(blockIdx.x);
  int i = 0;
  while (i + 1 < sums.count && block >= sums.first_block[i + 1]) {
    ++i;
  }
  sum_weights(sums.at[i], block - sums.first_block[i], tile);
}

/// Adds the partial sums: 16 threads per element, each a fixed share of the ranges, then those in order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_partials(const T* partials, int ranges, int out, int in, T* grad_weight, T* grad_bias) {
  constexpr int kShares = kWeightShares, kElements = kThreads / kShares;
  __shared__ T shares[kShares][kElements];
  wait_for_previous();
  const std::int64_t size = std::int64_t(out) * (in + 1);
  const int element = threadIdx.x % kElements, share = threadIdx.x / kElements;
  const std::int64_t at = std::int64_t(blockIdx.x) * kElements + element;
  T sum = 0;
  if (at < size) {
#pragma unroll 8
    for (int range = share; range < ranges; range += kShares) {
      sum += partials[range * size + at];
    }
  }
  shares[share][element] = sum;
  __syncthreads();
  if (share != 0 || at >= size) {
    return;
  }
  T total = 0;
  for (int s = 0; s < kShares; ++s) {
    total += shares[s][element];
  }
  const int row = int(at / (in + 1)), column = int(at % (in + 1));
  if (column < in) {
    if (grad_weight != nullptr) {
      grad_weight[row * in + column] = total;
    }
  } else if (grad_bias != nullptr) {
    grad_bias[row] = total;
  }
}

/// grad_x and the gradient of bias_scale; returns the number of blocks, beside those of others.
template <class T>
int plan_input_gradient(const DenseBackward<T>& problem, int others, Product<T>& p) {
  if (problem.rows == 0 || (problem.grad_x == nullptr && problem.grad_bias_scale == nullptr)) {
    return 0;
  }
  p.rows = upstream_of(problem);
  p.count = problem.rows;
  p.depth = problem.out;
  p.columns = problem.grad_x != nullptr ? problem.in : 0;
  p.matrix = problem.weight;
  p.depth_stride = problem.in;
  p.column_stride = 1;
  p.extra_column = problem.grad_bias_scale != nullptr ? problem.bias : nullptr;
  p.result = problem.grad_x;
  p.extra_result = problem.grad_bias_scale;
  p.scale = problem.scale;
  p.joins = problem.joins_x;
  p.joins_extra = problem.joins_bias_scale;
  return plan(p, others);
}

}  // namespace

template <class T>
void run_dense(const DenseForward<T>& problem, cudaStream_t stream) {
  if (problem.rows == 0) {
    return;
  }
  Product<T> p;
  p.rows.values = problem.x;
  p.rows.columns = problem.in;
  p.count = problem.rows;
  p.depth = problem.in;
  p.columns = problem.out;
  p.matrix = problem.weight;
  p.depth_stride = 1;
  p.column_stride = problem.in;
  p.bias = problem.bias;
  p.bias_scale = problem.bias_scale;
  p.tanh = problem.tanh;
  p.result = problem.y;
  p.next_weight = problem.next_weight;
  p.next_bias = problem.next_bias;
  p.next_columns = problem.next_out;
  p.next_result = problem.next_y;
  const int blocks = plan(p);
  launch(p.next_result != nullptr ? multiply<T, true> : multiply<T, false>, blocks, kThreads, 0, stream, p);
}

bool can_follow(int out, int next_out) { return out <= kTileColumns && (out + 1) * next_out <= kNextValues; }

std::int64_t weight_partials(std::int64_t rows, int in, int out) {
  return std::int64_t(ranges_of(rows, in, out)) * out * (in + 1);
}

int weight_ranges(std::int64_t rows, int in, int out) { return ranges_of(rows, in, out); }

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, const DenseBackward<T>& other, cudaStream_t stream) {
  Product<T> p;
  WeightSums<T> w, v;
  const int weight_blocks = plan_weight_sums(problem, w), other_blocks = plan_weight_sums(other, v);
  const int product_blocks = plan_input_gradient(problem, weight_blocks + other_blocks, p);
  if (product_blocks + weight_blocks + other_blocks > 0) {
    launch(gradients<T>, weight_blocks + other_blocks + product_blocks, kThreads, 0, stream, p, w, weight_blocks, v,
           other_blocks);
  }
  if (wants_weights(problem) && !problem.leaves_partials) {
    const int blocks = ceil_div(std::int64_t(problem.out) * (problem.in + 1), 16);
    launch(add_partials<T>, blocks, kThreads, 0, stream, problem.partials,
           ranges_of(problem.rows, problem.in, problem.out), problem.out, problem.in, problem.grad_weight,
           problem.grad_bias);
  }
}

template <class T>
void run_weight_sums(const DenseBackward<T>* maps, int count, cudaStream_t stream) {
  for (int done = 0; done < count;) {
    ManyWeightSums<T> sums;
    int blocks = 0;
    while (done < count && sums.count < kMostWeightSums) {
      sums.first_block[sums.count] = blocks;
      blocks += plan_weight_sums(maps[done++], sums.at[sums.count++]);
    }
    if (blocks > 0) {
      launch(sum_many_weights<T>, blocks, kThreads, 0, stream, sums);
    }
  }
}

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, cudaStream_t stream) {
  run_dense_backward(problem, DenseBackward<T>{}, stream);
}

template void run_dense<float>(const DenseForward<float>&, cudaStream_t);
template void run_dense<double>(const DenseForward<double>&, cudaStream_t);
template void run_dense_backward<float>(const DenseBackward<float>&, cudaStream_t);
template void run_dense_backward<double>(const DenseBackward<double>&, cudaStream_t);
template void run_dense_backward<float>(const DenseBackward<float>&, const DenseBackward<float>&, cudaStream_t);
template void run_dense_backward<double>(const DenseBackward<double>&, const DenseBackward<double>&, cudaStream_t);
template void run_weight_sums<float>(const DenseBackward<float>*, int, cudaStream_t);
template void run_weight_sums<double>(const DenseBackward<double>*, int, cudaStream_t);

}  // namespace factorgcn::cuda
