// Sums of what blocks of the kernels on tiles of whole graphs have summed for the weights' gradients.
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256, kShares = 32, kValues = kThreads / kShares;

/// 32 threads per value, each a fixed share of the blocks, then those in order.
template <class T>
__global__ void __launch_bounds__(kThreads) sum_blocks(PartialSumSets<T> sets) {
  wait_for_previous();
  const PartialSums<T>& p = sets.at[blockIdx.y];
  __shared__ T shares[kShares][kValues];
  const int value = threadIdx.x % kValues, share = threadIdx.x / kValues;
  const std::int64_t at = std::int64_t(blockIdx.x) * kValues + value;
  T sum = 0;
  if (at < p.stride) {
#pragma unroll 8
    for (int block = share; block < p.blocks; block += kShares) {
      sum += p.partials[block * p.stride + at];
    }
  }
  shares[share][value] = sum;
  __syncthreads();
  if (share != 0 || at >= p.stride) {
    return;
  }
  T total = 0;
  for (int s = 0; s < kShares; ++s) {
    total += shares[s][value];
  }
  total *= p.scale != nullptr ? *p.scale : T(1);
  int m = 0;
  while (m + 1 < p.count && at >= p.maps[m + 1].offset) {
    ++m;
  }
  const MapGradient<T>& map = p.maps[m];
  const int local = int(at - map.offset), row = local / (map.columns + 1), column = local - row * (map.columns + 1);
  if (column < map.columns) {
    map.weight[row * map.columns + column] = total;
  } else {
    map.bias[row] = total;
  }
}

}  // namespace

template <class T>
void add_partial_sums(const PartialSumSets<T>& sets, cudaStream_t stream) {
  std::int64_t most = 0;
  for (int i = 0; i < sets.count; ++i) {
    most = sets.at[i].stride > most ? sets.at[i].stride : most;
  }
  if (most > 0) {
    launch(sum_blocks<T>, dim3(static_cast<unsigned>((most + kValues - 1) / kValues), sets.count), kThreads, 0, stream,
           sets);
  }
}

template void add_partial_sums<float>(const PartialSumSets<float>&, cudaStream_t);
template void add_partial_sums<double>(const PartialSumSets<double>&, cudaStream_t);

}  // namespace factorgcn::cuda
