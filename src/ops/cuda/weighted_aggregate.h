// Weighted sums over edges on the GPU. Plain pointers to device memory, no libtorch; null stands for what is absent.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// One pass over the edges of each row, by target or by source.
template <class T>
struct WeightedPass {
  std::int64_t rows = 0;
  int heads = 1, width = 0;
  bool each = false;  ///< x has columns for each head, [N, K, width]; else [N, width]
  const std::int64_t* offsets = nullptr;
  const std::int32_t* neighbours = nullptr;
  const T* edge_weight = nullptr;  ///< [E, K] in the order of the pass; null: ones
  const T* own_weight = nullptr;
  const T* their_weight = nullptr;
};

/// out[row,k,:] = own_weight * sum over edges of edge_weight * their_weight * x[neighbour]
template <class T>
void weighted_sums(const WeightedPass<T>& pass, const T* x, T* out, cudaStream_t stream);

/// The gradient of an x that all heads share: grad_x[row,:] = own_weight * sum over edges and heads of edge_weight *
/// their_weight * grad_out[neighbour,k,:].
template <class T>
void weighted_shared_gradient(const WeightedPass<T>& pass, const T* grad_out, T* grad_x, cudaStream_t stream);

/// Over in-edges: grad[e,k] = own_weight * their_weight * <x[neighbour(,k),:], grad_out[row,k,:]>.
template <class T>
void weighted_edge_gradient(const WeightedPass<T>& pass, const T* x, const T* grad_out, T* grad, cudaStream_t stream);

/// out[in_to_out[e]] = in[e] for rows of `columns` values: from the order of in-edges to that of out-edges.
template <class T>
void permute_to_out(const T* in, const std::int64_t* in_to_out, std::int64_t edges, int columns, T* out,
                    cudaStream_t stream);

}  // namespace factorgcn::cuda
