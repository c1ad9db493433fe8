// Instructions that C++ has no name for; each is a function here, so that kernels themselves are plain C++ and compile
// where there is no GPU (tests/cuda_on_cpu).
#pragma once

#include <cstdint>

namespace factorgcn::cuda {

/// 2^x and 1 / x by the hardware's own functions, a relative error of some 1e-7. Results too small for a normal number
/// are 0, so that there is nothing to scale before or after: one instruction each instead of four or five.
__device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal_of(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Row n of a table in device memory whose rows lie `bytes` apart. One instruction: left to itself, the compiler counts
/// in values, takes the sum apart to save registers, and spends five.
template <class T>
__device__ __forceinline__ const T* row_at(const T* table, std::int32_t n, int bytes) {
  const T* row;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(row) : "r"(n), "r"(bytes), "l"(table));
  __builtin_assume(__isGlobal(row));  // which the compiler no longer sees
  return row;
}

/// Asks for a line to be brought to the second-level cache.
__device__ __forceinline__ void prefetch_line(const void* from) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

/// Starts copying one value from device to shared memory; nobody waits for it before wait_for_copies().
template <class T>
__device__ __forceinline__ void start_copy(T* to, const T* from) {
  const auto place = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(sizeof(T)));
}

/// What this thread has started to copy is there.
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// The barrier of a cluster of blocks (launch_clusters()), for all threads of all its blocks. What a thread wrote before
// it arrived can be read by those that have waited: arriving releases and waiting acquires, as the instructions do
// unless told otherwise. Whole warps arrive and wait together, and a thread waits before it arrives again or ends.
__device__ __forceinline__ void arrive_at_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
}
/// The same for a thread that has only read what others wrote: there is nothing of its own to wait for.
__device__ __forceinline__ void arrive_at_cluster_as_reader() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// Where `mine`, a place in this block's shared memory, lies in that of the cluster's block `rank`. To be read between
/// two barriers: once that block has written it, and before it may have ended.
template <class T>
__device__ __forceinline__ T* shared_of_block(T* mine, unsigned rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  T* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
#else
  return mine;
#endif
}

/// sum += a b for a 16 x 8 and an 8 x 8 block of TF32 values, spread over a warp as the instruction wants them.
__device__ __forceinline__ void multiply_blocks(float (&sum)[4], const std::uint32_t (&a)[4],
                                                const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace factorgcn::cuda
