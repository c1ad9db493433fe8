// Stands in for src/gpu/cuda/launch.cuh: launches go to the CPU's stand-in for a GPU, with copies of
// their arguments; those on the caller's stream (null) are over when they return.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <tuple>

namespace factorgcn::cuda {

inline void wait_for_previous() {}

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(cuda_on_cpu::shared_memory());
}

template <class... P, class... A>
void launch_clusters(void (*kernel)(P...), dim3 grid, unsigned cluster, dim3 block, std::size_t shared,
                     cudaStream_t stream, A&&... arguments) {
  cuda_on_cpu::ask_for({reinterpret_cast<const void*>(kernel), stream, grid, block, shared});
  cuda_on_cpu::submit(stream, [=, given = std::tuple<P...>(static_cast<P>(arguments)...)] {
    cuda_on_cpu::run_grid(
        grid, block, shared, [&] { std::apply(kernel, given); }, cluster);
  });
}

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream, A&&... arguments) {
  launch_clusters(kernel, grid, 1, block, shared, stream, arguments...);
}

inline bool runs_in_clusters(const void*, unsigned, dim3, std::size_t) { return true; }

}  // namespace factorgcn::cuda
