// A step's losses written where the host will read them. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
struct LossRow {
  static constexpr int kMostRegularisers = 16;

  const T* task = nullptr;
  const T* regularisers[kMostRegularisers] = {};
  int count = 0;
  double lambda = 0;
  const std::int64_t* position = nullptr;  ///< which row; null: the first
  double* rows = nullptr;                  ///< [n, 3]: total, task, the sum of the regularisers
};

template <class T>
void write_loss_row(const LossRow<T>& row, cudaStream_t stream);

}  // namespace factorgcn::cuda
