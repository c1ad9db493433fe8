// A small map's weights and biases on their way to shared memory.
#pragma once

#include "ops/cuda/instructions.cuh"

namespace factorgcn::cuda {

/// Starts to bring `weights` weights, and behind them `biases` biases, to shared memory, shared by `threads` threads;
/// wait_for_copies() before they are used.
template <class T>
__device__ __forceinline__ void start_map_copy(T* to, const T* weight, int weights, const T* bias, int biases,
                                               int threads) {
  for (int i = threadIdx.x; i < weights + biases; i += threads) {
    start_copy(to + i, i < weights ? weight + i : bias + (i - weights));
  }
}

}  // namespace factorgcn::cuda
