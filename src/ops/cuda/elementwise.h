// Activations, sums per graph, the factor label loss and Adam on the GPU. Plain pointers, no libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

template <class T>
void activate_values(const T* x, bool tanh, T slope, std::int64_t count, T* y, cudaStream_t stream);

template <class T>
void activate_backward(const T* grad_y, const T* y, bool tanh, T slope, std::int64_t count, T* grad_x,
                       cudaStream_t stream);

/// result[g] = sum (or mean) of rows offsets[g] .. offsets[g + 1] of x [rows, columns]. `scratch` holds
/// segment_scratch() values.
template <class T>
void reduce_segments(const T* x, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                     std::int64_t columns, bool mean, T* scratch, T* result, cudaStream_t stream);
std::int64_t segment_scratch(std::int64_t segments, std::int64_t rows, std::int64_t columns);

/// Sums of the segment_parts() parts that each segment is cut into, [segments, parts, columns].
std::int64_t segment_parts(std::int64_t segments, std::int64_t rows);
template <class T>
void reduce_segment_parts(const T* x, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                          std::int64_t columns, T* parts, cudaStream_t stream);

/// scaled[i] = *scale * values[i]; both arrays aligned to 16 bytes.
template <class T>
void scale_values(const T* values, const T* scale, std::int64_t count, T* scaled, cudaStream_t stream);

template <class T>
void spread_segments(const T* grad, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                     std::int64_t columns, bool mean, T* result, cudaStream_t stream);

/// Loss and gradient of [graphs, factors, factors] scores; `scratch` holds label_loss_scratch() values.
template <class T>
void label_loss(const T* logits, std::int64_t graphs, const std::int64_t* real_graphs, int factors, double* scratch,
                T* loss, T* gradient, cudaStream_t stream);
std::int64_t label_loss_scratch(std::int64_t graphs, int factors);

/// Where the gradient of one parameter lies: as many values as the parameter, to be read into the flat array. Null: all
/// are zero.
template <class T>
struct GradientPiece {
  const T* from;
  std::int64_t offset, count;
};
inline constexpr int kMaxGradientPieces = 96;
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
