// Stands in for src/ops/cuda/launch.cuh: launches go to the CPU's stand-in for a GPU and are over when they return.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace factorgcn::cuda {

inline void wait_for_previous() {}

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(cuda_on_cpu::shared_memory());
}

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t, A&&... arguments) {
  cuda_on_cpu::check_shared(reinterpret_cast<const void*>(kernel), shared);
  cuda_on_cpu::run_grid(grid, block, shared, [&] { kernel(static_cast<P>(arguments)...); });
}

inline bool runs_in_clusters(const void*, unsigned, dim3, std::size_t) { return true; }

template <class... P, class... A>
void launch_clusters(void (*kernel)(P...), dim3 grid, unsigned cluster, dim3 block, std::size_t shared, cudaStream_t,
                     A&&... arguments) {
  cuda_on_cpu::check_shared(reinterpret_cast<const void*>(kernel), shared);
  cuda_on_cpu::run_grid(
      grid, block, shared, [&] { kernel(static_cast<P>(arguments)...); }, cluster);
}

}  // namespace factorgcn::cuda
