// Attention over in-edges on the GPU. Plain pointers to device memory, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
struct AttentionPass {
  std::int64_t rows = 0;
  int heads = 1;
  T slope = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int64_t* in_to_out = nullptr;
  const T* left = nullptr;   ///< [N, K]
  const T* right = nullptr;  ///< [N, K]
};

template <class T>
void attention(const AttentionPass<T>& pass, T* alpha, cudaStream_t stream);

/// `grad_logits`: scratch [E, K].
template <class T>
void attention_backward(const AttentionPass<T>& pass, const T* grad_alpha, const T* alpha, T* grad_logits, T* grad_left,
                        T* grad_right, cudaStream_t stream);

}  // namespace factorgcn::cuda
