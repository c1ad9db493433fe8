// Products of many rows with a small matrix on the GPU: what the host hands to the kernels. Plain pointers, no
// libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// y = tanh(x W^T + bias_scale b) on rows, tanh where asked for; see ops/dense.h.
template <class T>
struct DenseForward {
  std::int64_t rows = 0;
  int in = 0, out = 0;
  const T* x = nullptr;       ///< [rows, in]
  const T* weight = nullptr;  ///< [out, in]
  const T* bias = nullptr;
  const T* bias_scale = nullptr;
  bool tanh = false;
  T* y = nullptr;
  /// Another map of y in the same launch, where can_follow(out, next_out): next_y = y V^T + c. Null: none.
  const T *next_weight = nullptr, *next_bias = nullptr;
  int next_out = 0;
  T* next_y = nullptr;
};

/// A block must hold whole rows of y, and the map.
bool can_follow(int out, int next_out);

/// The gradients. Where the rows of y were averaged per graph (graphs > 0), grad_y is the gradient of the averages,
/// [graphs, factors, out], and row r belongs to node r / factors and factor r % factors.
template <class T>
struct DenseBackward {
  std::int64_t rows = 0;
  int in = 0, out = 0;
  const T* grad_y = nullptr;
  const T* y = nullptr;  ///< where tanh was applied, else null
  const T* x = nullptr;
  const T* weight = nullptr;
  const T* bias = nullptr;
  const T* bias_scale = nullptr;
  const std::int64_t* graph_offsets = nullptr;
  std::int64_t graphs = 0;
  int factors = 1;
  T* grad_x = nullptr;           ///< or null
  T* grad_bias_scale = nullptr;  ///< or null
  // Where other gradients meet these: grad_x = joins_x + scale * (this one), grad_bias_scale = scale *
  // (joins_bias_scale + this one). Null: nothing joins, and a scale of 1.
  const T* scale = nullptr;
  const T *joins_x = nullptr, *joins_bias_scale = nullptr;
  T* grad_weight = nullptr;  ///< or null
  T* grad_bias = nullptr;    ///< or null
  T* partials = nullptr;     ///< scratch of weight_partials() values where a weight or bias gradient is wanted
  /// The caller adds up weight_ranges() partial sums of [out, in + 1] itself, the last column being the bias's.
  bool leaves_partials = false;
};

template <class T>
void run_dense(const DenseForward<T>& problem, cudaStream_t stream);

/// Number of values of scratch.
std::int64_t weight_partials(std::int64_t rows, int in, int out);
int weight_ranges(std::int64_t rows, int in, int out);
/// How many threads share the partial sums of one value where run_dense_backward() adds them up itself.
inline constexpr int kWeightShares = 16;

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, cudaStream_t stream);

/// The same, and in the same launch another map's partial sums of weight gradients, which are left to the caller.
template <class T>
void run_dense_backward(const DenseBackward<T>& problem, const DenseBackward<T>& other, cudaStream_t stream);

/// The partial sums alone, of any number of maps; up to kMostWeightSums of them in one launch.
inline constexpr int kMostWeightSums = 31;
template <class T>
void run_weight_sums(const DenseBackward<T>* maps, int count, cudaStream_t stream);

}  // namespace factorgcn::cuda
