// Mean losses on the GPU: what the host hands to the kernels. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
struct MeanLossProblem {
  std::int64_t rows = 0, columns = 0;
  const std::int64_t* real_rows = nullptr;  ///< rows from there on are padding; null: none are
  bool cross_entropy = false;               ///< binary, of logits; else absolute differences
  const T *prediction = nullptr, *targets = nullptr;
  T *loss = nullptr, *gradient = nullptr;
  double* sums = nullptr;  ///< scratch of mean_loss_blocks() values
};

int mean_loss_blocks(std::int64_t entries);

template <class T>
void run_mean_loss(const MeanLossProblem<T>& problem, cudaStream_t stream);

}  // namespace factorgcn::cuda
