// Adam's kernel. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// Where the gradient of one parameter lies: as many values as the parameter, to be read into the flat array. Null: all
/// are zero.
template <class T>
struct GradientPiece {
  const T* from;
  std::int64_t offset, count;
};
inline constexpr int kMaxGradientPieces = 144;
template <class T>
struct GradientPieces {
  int count = 0;
  GradientPiece<T> at[kMaxGradientPieces];
};

/// One Adam step over flat arrays; `steps` is the number of steps so far, on the device, and is counted up. Pieces are
/// copied into `gradients` in the same pass, in the order of their offsets; elsewhere `gradients` is read as it is.
template <class T>
struct AdamStep {
  std::int64_t count = 0;
  T* values = nullptr;
  T* gradients = nullptr;
  T* first = nullptr;
  T* second = nullptr;
  std::int64_t* steps = nullptr;
  std::int32_t* ended = nullptr;  ///< on the device, 0 before and after
  const double* rate = nullptr;   ///< on the device, so that a captured step follows its changes
  double beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};
template <class T>
void adam_step(const AdamStep<T>& step, const GradientPieces<T>& pieces, cudaStream_t stream);

}  // namespace factorgcn::cuda
