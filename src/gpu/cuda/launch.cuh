// Starting kernels so that a chain of short ones does not wait for the host's or the scheduler's round trips.
//
// A kernel started by launch() may be set up while the one before it in the stream still ends ("programmatic dependent
// launch", compute capability 9.0 and later), so each begins with wait_for_previous(). Elsewhere both are an ordinary
// launch and nothing. launch_clusters() starts neighbouring blocks together, on multiprocessors that reach each other's
// shared memory (same hardware); instructions.cuh has what such blocks need.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace factorgcn::cuda {

/// What comes before this kernel in its stream is over, and its results can be read.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// The block's dynamic shared memory, aligned for 16-byte accesses. Here and nowhere else is it declared, so that
/// kernels compile where there is no such thing (tests/cuda_on_cpu).
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char dynamic_shared_memory[];
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

/// Whether a kernel was compiled for hardware on which wait_for_previous() waits: only then may it start early.
inline bool may_start_early(const void* kernel) {
  static std::mutex mutex;
  static std::unordered_map<const void*, bool> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(kernel);
  if (found != known.end()) {
    return found->second;
  }
  cudaFuncAttributes attributes{};
  const bool answer = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.ptxVersion >= 90 &&
                      attributes.binaryVersion >= 90;
  known.emplace(kernel, answer);
  return answer;
}

/// kernel<<<grid, block, shared, stream>>>(arguments...), early where it may.
template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream, A&&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = may_start_early(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, static_cast<P>(std::forward<A>(arguments))...);
}

/// How a launch in clusters is asked for: `attributes` are read until it is done.
inline cudaLaunchConfig_t cluster_config(cudaLaunchAttribute (&attributes)[2], dim3 grid, unsigned cluster, dim3 block,
                                         std::size_t shared, cudaStream_t stream) {
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = cluster;
  attributes[0].val.clusterDim.y = 1;
  attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 2;
  return config;
}

/// FACTORGCN_GPU_CLUSTERS=0: none are used. compute-sanitizer's racecheck does not come to an end with them.
inline bool clusters_wanted() {
  static const bool wanted = [] {
    const char* const asked = std::getenv("FACTORGCN_GPU_CLUSTERS");
    return asked == nullptr || std::string_view(asked) != "0";
  }();
  return wanted;
}

/// Whether the current device can run this kernel in clusters of so many blocks. Above 8 blocks that depends on how
/// many multiprocessors lie together, so the device is asked. The answer is kept per kernel and device: a kernel asks
/// for one size only.
inline bool runs_in_clusters(const void* kernel, unsigned cluster, dim3 block, std::size_t shared) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, bool> known;
  int device = 0;
  if (!clusters_wanted() || !may_start_early(kernel) || cudaGetDevice(&device) != cudaSuccess) {
    return false;
  }
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({kernel, device}, false);
  if (is_new) {
    cudaLaunchAttribute attributes[2]{};
    cudaLaunchConfig_t config = cluster_config(attributes, cluster, cluster, block, shared, nullptr);
    config.numAttrs = 1;  // how early it starts has no part in this
    int clusters = 0;
    found->second = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
                    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
    if (!found->second) {
      cudaGetLastError();  // a refusal is an answer, not an error of the launches to come
    }
  }
  return found->second;
}

/// launch() with each `cluster` blocks that are neighbours in x as a cluster. Only where runs_in_clusters().
template <class... P, class... A>
void launch_clusters(void (*kernel)(P...), dim3 grid, unsigned cluster, dim3 block, std::size_t shared,
                     cudaStream_t stream, A&&... arguments) {
  cudaLaunchAttribute attributes[2]{};
  const cudaLaunchConfig_t config = cluster_config(attributes, grid, cluster, block, shared, stream);
  cudaLaunchKernelEx(&config, kernel, static_cast<P>(std::forward<A>(arguments))...);
}

}  // namespace factorgcn::cuda
