// Sums of what blocks of the kernels on tiles of whole graphs have summed for the weights' gradients.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/graph_tile.h"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256, kShares = kMostShares, kValues = kThreads / kShares;

/// As many sets as there are at most; kernels' arguments have 4 KB, and fewer are handed over faster.
template <class T, int kMost>
struct Sets {
  int count = 0;
  int first_block[kMost] = {};
  PartialSums<T> at[kMost];
};
static_assert(sizeof(Sets<float, kMostSetsAtOnce>) <= 4096 && sizeof(Sets<double, kMostSetsAtOnce>) <= 4096);

/// A thread per share and value, each a fixed share of the blocks, then those in order.
template <class T, int kMost>
__global__ void __launch_bounds__(kThreads) sum_blocks(Sets<T, kMost> sets) {
  wait_for_previous();
  int set = 0;
  while (set + 1 < sets.count && int(blockIdx.x) >= sets.first_block[set + 1]) {
    ++set;
  }
  const PartialSums<T>& p = sets.at[set];
  __shared__ T shares[kShares][kValues];
  const int value = threadIdx.x % kValues, share = threadIdx.x / kValues;
  const std::int64_t at = std::int64_t(int(blockIdx.x) - sets.first_block[set]) * kValues + value;
  T sum = 0;
  if (at < p.stride && share < p.shares) {
#pragma unroll 8
    for (int block = share; block < p.blocks; block += p.shares) {
      sum += p.partials[block * p.stride + at];
    }
  }
  shares[share][value] = sum;
  __syncthreads();
  if (share != 0 || at >= p.stride) {
    return;
  }
  T total = 0;  // shares that nobody has add zeros, which change no bit: a sum that starts with 0 is never -0
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
  } else if (map.bias != nullptr) {
    map.bias[row] = total;
  }
}

template <class T, int kMost>
void add_some(const PartialSums<T>* sets, int count, cudaStream_t stream) {
  Sets<T, kMost> some;
  int blocks = 0;
  for (int i = 0; i < count; ++i) {
    if (sets[i].count > 0 && sets[i].stride > 0) {
      some.first_block[some.count] = blocks;
      some.at[some.count++] = sets[i];
      blocks += static_cast<int>((sets[i].stride + kValues - 1) / kValues);
    }
  }
  if (blocks > 0) {
    launch(sum_blocks<T, kMost>, blocks, kThreads, 0, stream, some);
  }
}

}  // namespace

template <class T>
void add_partial_sums(const PartialSums<T>* sets, int count, cudaStream_t stream) {
  if (count <= kMostPartialSums) {
    add_some<T, kMostPartialSums>(sets, count, stream);
    return;
  }
  for (int done = 0; done < count; done += kMostSetsAtOnce) {
    add_some<T, kMostSetsAtOnce>(sets + done, count - done < kMostSetsAtOnce ? count - done : kMostSetsAtOnce, stream);
  }
}

template void add_partial_sums<float>(const PartialSums<float>*, int, cudaStream_t);
template void add_partial_sums<double>(const PartialSums<double>*, int, cudaStream_t);

}  // namespace factorgcn::cuda
