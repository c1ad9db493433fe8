// Means with a gate per column on the GPU. Plain pointers to device memory, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
struct GatedPass {
  std::int64_t rows = 0;
  int width = 0, types = 1;
  T eps = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int32_t* in_types = nullptr;   ///< [E] by target; null: all 0
  const std::int32_t* out_types = nullptr;  ///< [E] by source; the backward pass
  const T* x = nullptr;                     ///< [N, width]
  const T* left = nullptr;                  ///< [N, types, width]
  const T* right = nullptr;                 ///< [N, width]
};

template <class T>
void gated_means(const GatedPass<T>& pass, T* out, T* inverse_sum, cudaStream_t stream);

/// `grad_mean`: scratch as out.
template <class T>
void gated_means_backward(const GatedPass<T>& pass, const T* grad_out, const T* out, const T* inverse_sum, T* grad_mean,
                          T* grad_x, T* grad_left, T* grad_right, cudaStream_t stream);

}  // namespace factorgcn::cuda
