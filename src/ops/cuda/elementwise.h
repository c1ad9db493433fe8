// Activations, sums per graph and the factor label loss on the GPU. Plain pointers, no libtorch.
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

}  // namespace factorgcn::cuda
