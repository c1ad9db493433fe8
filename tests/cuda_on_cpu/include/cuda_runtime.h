// Stands in for CUDA's header of the same name, and for what nvcc knows without any: the language of kernels. Only what
// kernels use; anything else fails to compile and can be added.
#pragma once

#include <cuda_runtime_api.h>
#include <math.h>  // not <cmath>: kernels call exp, log, sqrt for both precisions without naming std

#include <bit>
#include <cstring>
#include <source_location>

#include "cuda_on_cpu/device.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static  // blocks run one after the other

struct float4 {
  float x, y, z, w;
};
struct double2 {
  double x, y;
};

// Set before a thread runs on.
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

inline void __syncthreads(std::source_location where = std::source_location::current()) {
  factorgcn::cuda_on_cpu::wait_for_block(false, where);
}
inline int __syncthreads_count(int vote, std::source_location where = std::source_location::current()) {
  return factorgcn::cuda_on_cpu::wait_for_block(vote != 0, where);
}
inline void __syncwarp(std::source_location where = std::source_location::current()) {
  factorgcn::cuda_on_cpu::wait_for_warp(nullptr, 0, where);
}
inline void __threadfence() {}

// Shuffles are of whole warps here: a mask that names fewer lanes does not compile.
struct WholeWarp {
  consteval WholeWarp(unsigned mask) {
    if (mask != ~0u) {
      throw "only whole warps";
    }
  }
};
template <class T>
T take_from_lane(T value, int from, const std::source_location& where) {
  static_assert(sizeof(T) <= factorgcn::cuda_on_cpu::kMostGiven);
  factorgcn::cuda_on_cpu::wait_for_warp(&value, sizeof value, where);
  if (from >= 0 && from < factorgcn::cuda_on_cpu::kWarpSize) {
    std::memcpy(&value, factorgcn::cuda_on_cpu::given_by(from), sizeof value);
  }
  return value;
}
template <class T>
T __shfl_xor_sync(WholeWarp, T value, int mask, int = 32,
                  std::source_location where = std::source_location::current()) {
  return ::take_from_lane(value, factorgcn::cuda_on_cpu::lane_number() ^ mask, where);
}
template <class T>
T __shfl_down_sync(WholeWarp, T value, int distance, std::source_location where = std::source_location::current()) {
  return ::take_from_lane(value, factorgcn::cuda_on_cpu::lane_number() + distance, where);
}
template <class T>
T __shfl_up_sync(WholeWarp, T value, int distance, std::source_location where = std::source_location::current()) {
  return ::take_from_lane(value, factorgcn::cuda_on_cpu::lane_number() - distance, where);
}

template <class T>
T __shfl_sync(WholeWarp, T value, int from, std::source_location where = std::source_location::current()) {
  return ::take_from_lane(value, from, where);
}
inline unsigned __ballot_sync(WholeWarp, int vote, std::source_location where = std::source_location::current()) {
  factorgcn::cuda_on_cpu::wait_for_warp(&vote, sizeof vote, where);
  unsigned votes = 0;
  for (int lane = 0; lane < factorgcn::cuda_on_cpu::kWarpSize; ++lane) {
    int given = 0;
    std::memcpy(&given, factorgcn::cuda_on_cpu::given_by(lane), sizeof given);
    votes |= given != 0 ? 1u << lane : 0u;
  }
  return votes;
}
inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }

inline int atomicAdd(int* to, int value) {
  const int before = *to;
  *to += value;
  return before;
}

template <class T>
T __ldg(const T* from) {
  return *from;
}

inline float __expf(float x) { return expf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
