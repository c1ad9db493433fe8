// One round of routing on the GPU. Plain pointers to device memory, no libtorch. Tables are [N, K, width].
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
struct RoutePass {
  std::int64_t rows = 0;
  int capsules = 1, width = 0;
  bool unit = true;  // whether capsules are brought to unit length
  T eps = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int64_t* in_to_out = nullptr;
  const T* x = nullptr;
  const T* u = nullptr;
};

template <class T>
void route(const RoutePass<T>& pass, T* next, T* inverse_length, cudaStream_t stream);

/// Shares in the order of in-edges.
template <class T>
void route_shares(const RoutePass<T>& pass, T* shares, cudaStream_t stream);

/// What the backward pass reads and writes. `shares` and `grad_logits`: scratch [E, K]; `grad_sum`: scratch as x.
template <class T>
struct RouteGradients {
  const T* grad_next = nullptr;
  const T* next = nullptr;
  const T* inverse_length = nullptr;
  T* shares = nullptr;
  T* grad_logits = nullptr;
  T* grad_sum = nullptr;
  T* grad_x = nullptr;
  T* grad_u = nullptr;
};

template <class T>
void route_backward(const RoutePass<T>& pass, const RouteGradients<T>& gradients, cudaStream_t stream);

}  // namespace factorgcn::cuda
