// Small device helpers shared by the kernels: short vectors, sigmoid, gate, tanh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/cuda/instructions.cuh"
#include "ops/gate.h"

namespace factorgcn::cuda {

/// V values that are loaded and stored together; aligned for 16-byte accesses where their size allows.
template <class T, int V>
struct alignas((V * sizeof(T)) % 16 == 0 ? 16 : ((V * sizeof(T)) % 8 == 0 ? 8 : sizeof(T))) Values {
  T at[V];
};

/// Whether accesses of so many bytes may start there; nothing is wrong with null.
inline bool is_aligned(const void* pointer, std::size_t bytes = 16) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

template <class T, int V>
__device__ __forceinline__ Values<T, V> load_values(const T* from) {
  return *reinterpret_cast<const Values<T, V>*>(from);
}

/// The same for memory that no kernel writes meanwhile: may be moved across stores.
__device__ __forceinline__ Values<float, 4> read_four(const float* from) {
  const float4 four = __ldg(reinterpret_cast<const float4*>(from));
  return {{four.x, four.y, four.z, four.w}};
}
__device__ __forceinline__ Values<double, 4> read_four(const double* from) {
  const double2 first = __ldg(reinterpret_cast<const double2*>(from)),
                second = __ldg(reinterpret_cast<const double2*>(from + 2));
  return {{first.x, first.y, second.x, second.y}};
}

template <class T, int V>
__device__ __forceinline__ void store_values(T* to, const Values<T, V>& values) {
  *reinterpret_cast<Values<T, V>*>(to) = values;
}

inline constexpr float kLogTwoOfE = 1.44269504f;

/// sigmoid(scale x), with all that depends on the scale alone found once. In float32 the exponential and the division
/// are the hardware's: relative errors stay near 1e-7 for arguments of gates.
template <class T>
class ScaledSigmoid;

template <>
class ScaledSigmoid<float> {
 public:
  using Value = float;
  __device__ __forceinline__ explicit ScaledSigmoid(float scale) : factor_(-kLogTwoOfE * scale) {}
  __device__ __forceinline__ float operator()(float x) const { return reciprocal_of(1.0f + power_of_two(factor_ * x)); }

 private:
  float factor_;
};

template <>
class ScaledSigmoid<double> {
 public:
  using Value = double;
  __device__ __forceinline__ explicit ScaledSigmoid(double scale) : factor_(-scale) {}
  __device__ __forceinline__ double operator()(double x) const { return 1.0 / (1.0 + exp(factor_ * x)); }

 private:
  double factor_;
};

template <class T>
__device__ __forceinline__ T sigmoid(T x) {
  return ScaledSigmoid<T>(1)(x);
}

template <class T>
using Gate = GateFormula<ScaledSigmoid<T>>;

__device__ __forceinline__ float tanh_of(float x) { return tanhf(x); }
__device__ __forceinline__ double tanh_of(double x) { return tanh(x); }

/// tanh from the hardware's exponential: within 2e-7 of the true value, which for small x is a larger relative error.
__device__ __forceinline__ float quick_tanh(float x) {
  return 1.0f - 2.0f * reciprocal_of(1.0f + power_of_two(2.0f * kLogTwoOfE * x));
}
__device__ __forceinline__ double quick_tanh(double x) { return tanh(x); }

}  // namespace factorgcn::cuda
