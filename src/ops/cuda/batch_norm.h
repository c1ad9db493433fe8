// Batch normalisation on the GPU: what the host hands to the kernels. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// Up to so many rows one launch does it all, where the columns and the device allow.
inline constexpr std::int64_t kFewRows = 16384;

/// See ops/batch_norm.h for the formula; slope 1 means no activation.
template <class T>
struct BatchNorm {
  std::int64_t rows = 0;
  const std::int64_t* real_rows = nullptr;  ///< rows from there on are padding; null: none are
  int columns = 0;
  const T* x = nullptr;
  const T* row_scale = nullptr;
  const T* gamma = nullptr;
  const T* beta = nullptr;
  T* mean = nullptr;      ///< [columns]; written where own_moments, else read
  T* variance = nullptr;  ///< likewise
  bool own_moments = false;
  T* running_mean = nullptr;      ///< [columns] or null; with own_moments: moves towards them by `momentum`
  T* running_variance = nullptr;  ///< likewise, towards the unbiased variance
  T momentum = 0;
  T eps = 0, slope = 1;
  bool in_one_launch = true;   ///< false: in three, however few rows there are
  double* partials = nullptr;  ///< scratch of batch_norm_partials() values
  T* y = nullptr;
  // backward; whether an activation let a value pass is found again from x, which is one table less to read than y
  const T* grad_y = nullptr;
  T* grad_x = nullptr;
  T* grad_gamma = nullptr;
  T* grad_beta = nullptr;
};

std::int64_t batch_norm_partials(std::int64_t rows, int columns);

template <class T>
void run_batch_norm(const BatchNorm<T>& problem, cudaStream_t stream);

template <class T>
void run_batch_norm_backward(const BatchNorm<T>& problem, cudaStream_t stream);

}  // namespace factorgcn::cuda
