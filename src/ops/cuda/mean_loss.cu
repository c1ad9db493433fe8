// Mean losses and their gradients in one launch, and another that adds the blocks' sums in order where there are
// several.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/mean_loss.h"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kBlockEntries = 1024;  // four a thread, all asked for at once

/// Sums over a block in a fixed order; the first thread returns it.
__device__ double block_sum(double value) {
  __shared__ double warps[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) {
    value += __shfl_down_sync(~0u, value, step);
  }
  if (threadIdx.x % 32 == 0) {
    warps[threadIdx.x / 32] = value;
  }
  __syncthreads();
  double total = 0;
  for (int w = 0; threadIdx.x == 0 && w < kThreads / 32; ++w) {
    total += warps[w];
  }
  return total;
}

template <class T>
__device__ __forceinline__ double real_entries(const MeanLossProblem<T>& p) {
  return double(p.real_rows != nullptr ? *p.real_rows : p.rows) * double(p.columns);
}

template <class T>
__global__ void __launch_bounds__(kThreads) mean_loss_kernel(MeanLossProblem<T> p) {
  wait_for_previous();
  const double entries = real_entries(p);
  const std::int64_t all = p.rows * p.columns, begin = std::int64_t(blockIdx.x) * kBlockEntries;
  const std::int64_t end = begin + kBlockEntries < all ? begin + kBlockEntries : all;
  const T share = T(1 / entries);
  double sum = 0;
#pragma unroll 4
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    T gradient = 0;
    if (double(i) < entries) {
      const T x = p.prediction[i], t = p.targets[i];
      if (p.cross_entropy) {
        const T e = exp(x < 0 ? x : -x);
        sum += double((x > 0 ? x : T(0)) - x * t + log1p(e));
        gradient = ((x < 0 ? e : T(1)) / (1 + e) - t) * share;
      } else {
        const T d = x - t;
        sum += double(d < 0 ? -d : d);
        gradient = d > 0 ? share : (d < 0 ? -share : (d == 0 ? T(0) : d));  // NaN stays NaN
      }
    }
    p.gradient[i] = gradient;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    if (gridDim.x == 1) {
      *p.loss = T(sum / entries);
    } else {
      p.sums[blockIdx.x] = sum;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) mean_loss_sum(MeanLossProblem<T> p, int blocks) {
  wait_for_previous();
  double sum = 0;
  for (int i = threadIdx.x; i < blocks; i += kThreads) {
    sum += p.sums[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    *p.loss = T(sum / real_entries(p));
  }
}

}  // namespace

int mean_loss_blocks(std::int64_t entries) {
  return entries <= kBlockEntries ? 1 : static_cast<int>((entries + kBlockEntries - 1) / kBlockEntries);
}

template <class T>
void run_mean_loss(const MeanLossProblem<T>& problem, cudaStream_t stream) {
  const int blocks = mean_loss_blocks(problem.rows * problem.columns);
  launch(mean_loss_kernel<T>, blocks, kThreads, 0, stream, problem);
  if (blocks > 1) {
    launch(mean_loss_sum<T>, 1, kThreads, 0, stream, problem, blocks);
  }
}

template void run_mean_loss<float>(const MeanLossProblem<float>&, cudaStream_t);
template void run_mean_loss<double>(const MeanLossProblem<double>&, cudaStream_t);

}  // namespace factorgcn::cuda
