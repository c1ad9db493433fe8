// Instructions that C++ has no name for; each is a function here, so that kernels themselves are plain C++ and compile
// where there is no GPU (tests/cuda_on_cpu).
#pragma once

#include <cstdint>

namespace factorgcn::cuda {

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

/// sum += a b for a 16 x 8 and an 8 x 8 block of TF32 values, spread over a warp as the instruction wants them.
__device__ __forceinline__ void multiply_blocks(float (&sum)[4], const std::uint32_t (&a)[4],
                                                const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace factorgcn::cuda
