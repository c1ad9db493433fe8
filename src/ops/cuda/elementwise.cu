// Activations, sums per graph and the factor label loss: short kernels without shared design.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/graph_search.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLossRows = 256;  // rows of the label loss per block

unsigned blocks_for(std::int64_t work) { return static_cast<unsigned>((work + kThreads - 1) / kThreads); }

// ---- activations ---------------------------------------------------------------------------------------------------

template <class T, int V>
__global__ void __launch_bounds__(kThreads) activate_kernel(const T* x, bool tanh, T slope, std::int64_t count, T* y) {
  wait_for_previous();
  const std::int64_t at = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * V;
  if (at >= count) {
    return;
  }
  Values<T, V> values = load_values<T, V>(x + at);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const T value = values.at[v];
    values.at[v] = tanh ? tanh_of(value) : (value > 0 ? value : value * slope);
  }
  store_values(y + at, values);
}

template <class T, int V>
__global__ void __launch_bounds__(kThreads)
    activate_backward_kernel(const T* grad_y, const T* y, bool tanh, T slope, std::int64_t count, T* grad_x) {
  wait_for_previous();
  const std::int64_t at = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * V;
  if (at >= count) {
    return;
  }
  Values<T, V> values = load_values<T, V>(grad_y + at);
  const Values<T, V> seen = load_values<T, V>(y + at);
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const T s = seen.at[v];
    values.at[v] *= tanh ? 1 - s * s : (s > 0 ? T(1) : slope);
  }
  store_values(grad_x + at, values);
}

/// A thread takes four neighbours; what is left over at the end goes one by one.
template <class T>
__global__ void __launch_bounds__(kThreads)
    scale_kernel(const T* values, const T* scale, std::int64_t count, T* scaled) {
  wait_for_previous();
  const std::int64_t at = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * 4;
  const T factor = *scale;
  if (at + 4 <= count) {
    Values<T, 4> four = load_values<T, 4>(values + at);
#pragma unroll
    for (int v = 0; v < 4; ++v) {
      four.at[v] *= factor;
    }
    store_values(scaled + at, four);
    return;
  }
  for (std::int64_t i = at; i < count; ++i) {
    scaled[i] = factor * values[i];
  }
}

bool fours(std::int64_t count, const void* a, const void* b, const void* c) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) | reinterpret_cast<std::uintptr_t>(c);
  return count % 4 == 0 && all % 16 == 0;
}

// ---- sums per graph ------------------------------------------------------------------------------------------------

/// A block sums one part of one segment; a thread owns V columns of every `lanes`th row, and the lanes are added in
/// order at the end.
template <class T, int V>
__global__ void __launch_bounds__(kThreads) reduce_kernel(const T* x, const std::int64_t* offsets, std::int64_t columns,
                                                          int parts, int vectors, bool mean, T* result) {
  wait_for_previous();
  __shared__ Values<T, V> sums[kThreads];
  const std::int64_t segment = blockIdx.x / parts;
  const int part = int(blockIdx.x % parts), lanes = kThreads / vectors;
  const std::int64_t first = offsets[segment], count = offsets[segment + 1] - first;
  const std::int64_t begin = first + count * part / parts, end = first + count * (part + 1) / parts;
  const int lane = threadIdx.x / vectors, vector = threadIdx.x - lane * vectors;
  const std::int64_t column = (std::int64_t(blockIdx.y) * vectors + vector) * V;
  const bool inside = lane < lanes && column < columns;
  Values<T, V> sum{};
  if (inside) {
#pragma unroll 4
    for (std::int64_t row = begin + lane; row < end; row += lanes) {
      const Values<T, V> values = load_values<T, V>(x + row * columns + column);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sum.at[v] += values.at[v];
      }
    }
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (lane == 0 && inside) {
    const T scale = mean && parts == 1 && count > 0 ? T(1) / T(count) : T(1);
    for (int l = 1; l < lanes; ++l) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sum.at[v] += sums[l * vectors + vector].at[v];
      }
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      sum.at[v] *= scale;
    }
    store_values(result + std::int64_t(blockIdx.x) * columns + column, sum);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    merge_parts(const T* partials, const std::int64_t* offsets, std::int64_t segments, std::int64_t columns, int parts,
                bool mean, T* result) {
  wait_for_previous();
  const std::int64_t at = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= segments * columns) {
    return;
  }
  const std::int64_t segment = at / columns, column = at % columns;
  T total = 0;
#pragma unroll 8
  for (int part = 0; part < parts; ++part) {
    total += partials[(segment * parts + part) * columns + column];
  }
  const std::int64_t count = offsets[segment + 1] - offsets[segment];
  result[at] = mean && count > 0 ? total * (T(1) / T(count)) : total;
}

/// A warp per row.
template <class T>
__global__ void __launch_bounds__(kThreads)
    spread_kernel(const T* grad, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                  std::int64_t columns, bool mean, T* result) {
  wait_for_previous();
  const std::int64_t row = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (row >= rows) {
    return;
  }
  const std::int64_t low = graph_of(offsets, int(segments), rows, row);
  const T scale = mean ? T(1) / T(offsets[low + 1] - offsets[low]) : T(1);
  for (std::int64_t c = threadIdx.x % 32; c < columns; c += 32) {
    result[row * columns + c] = grad[low * columns + c] * scale;
  }
}

// ---- factor label loss ---------------------------------------------------------------------------------------------

template <class T>
__global__ void __launch_bounds__(kThreads)
    label_kernel(const T* logits, std::int64_t all_rows, const std::int64_t* real_graphs, int factors, double* sums,
                 T* loss, T* gradient) {
  wait_for_previous();
  __shared__ double parts[kThreads];
  const std::int64_t rows = real_graphs != nullptr ? *real_graphs * factors : all_rows;
  const std::int64_t begin = std::int64_t(blockIdx.x) * kLossRows;
  const std::int64_t through = begin + kLossRows < all_rows ? begin + kLossRows : all_rows;
  const std::int64_t end = through < rows ? through : rows;
  for (std::int64_t at = (begin > rows ? begin : rows) * factors + threadIdx.x; at < through * factors;
       at += kThreads) {
    gradient[at] = 0;  // of padding
  }
  const T share = T(1 / double(rows));
  double sum = 0;
  for (std::int64_t row = begin + threadIdx.x; row < end; row += kThreads) {
    const T* from = logits + row * factors;
    T* to = gradient + row * factors;
    const int label = int(row % factors);
    T largest = from[0];
    for (int c = 1; c < factors; ++c) {
      largest = from[c] > largest ? from[c] : largest;
    }
    T total = 0;
    for (int c = 0; c < factors; ++c) {
      total += exp(from[c] - largest);
    }
    const T scale = share / total;
    for (int c = 0; c < factors; ++c) {
      to[c] = exp(from[c] - largest) * scale - (c == label ? share : T(0));
    }
    sum += double(log(total)) + double(largest) - double(from[label]);
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step) {
      parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if (gridDim.x == 1) {
      *loss = T(parts[0] / double(rows));
    } else {
      sums[blockIdx.x] = parts[0];
    }
  }
}

template <class T>
__global__ void sum_losses(const double* sums, int count, double all_rows, const std::int64_t* real_graphs, int factors,
                           T* loss) {
  wait_for_previous();
  const double rows = real_graphs != nullptr ? double(*real_graphs * factors) : all_rows;
  double total = 0;
  for (int i = threadIdx.x; i < count; i += 32) {
    total += sums[i];
  }
  for (int step = 16; step > 0; step /= 2) {
    total += __shfl_down_sync(~0u, total, step);
  }
  if (threadIdx.x == 0) {
    *loss = T(total / rows);
  }
}

int loss_blocks(std::int64_t rows) { return static_cast<int>((rows + kLossRows - 1) / kLossRows); }

}  // namespace

template <class T>
void activate_values(const T* x, bool tanh, T slope, std::int64_t count, T* y, cudaStream_t stream) {
  if (count == 0) {
    return;
  }
  if (fours(count, x, y, nullptr)) {
    launch(activate_kernel<T, 4>, blocks_for(count / 4), kThreads, 0, stream, x, tanh, slope, count, y);
  } else {
    launch(activate_kernel<T, 1>, blocks_for(count), kThreads, 0, stream, x, tanh, slope, count, y);
  }
}

template <class T>
void activate_backward(const T* grad_y, const T* y, bool tanh, T slope, std::int64_t count, T* grad_x,
                       cudaStream_t stream) {
  if (count == 0) {
    return;
  }
  if (fours(count, grad_y, y, grad_x)) {
    launch(activate_backward_kernel<T, 4>, blocks_for(count / 4), kThreads, 0, stream, grad_y, y, tanh, slope, count,
           grad_x);
  } else {
    launch(activate_backward_kernel<T, 1>, blocks_for(count), kThreads, 0, stream, grad_y, y, tanh, slope, count,
           grad_x);
  }
}

// By the mean size, since sizes are on the device.
std::int64_t segment_parts(std::int64_t segments, std::int64_t rows) {
  constexpr std::int64_t kPartRows = 128, kMostParts = 512;
  const std::int64_t parts = rows / (segments < 1 ? 1 : segments) / kPartRows;
  return parts < 1 ? 1 : (parts < kMostParts ? parts : kMostParts);
}

std::int64_t segment_scratch(std::int64_t segments, std::int64_t rows, std::int64_t columns) {
  const std::int64_t parts = segment_parts(segments, rows);
  return parts == 1 ? 0 : parts * segments * columns;
}

namespace {

template <class T>
void start_reduction(const T* x, const std::int64_t* offsets, std::int64_t segments, std::int64_t columns, int parts,
                     bool mean, T* to, cudaStream_t stream) {
  const bool by_four = columns % 4 == 0 && fours(4, x, to, nullptr);
  const std::int64_t row_vectors = by_four ? columns / 4 : columns;
  const auto vectors = static_cast<int>(row_vectors < 128 ? row_vectors : 128);
  const dim3 grid(static_cast<unsigned>(segments * parts),
                  static_cast<unsigned>((row_vectors + vectors - 1) / vectors));
  launch(by_four ? reduce_kernel<T, 4> : reduce_kernel<T, 1>, grid, kThreads, 0, stream, x, offsets, columns, parts,
         vectors, mean, to);
}

}  // namespace

template <class T>
void reduce_segment_parts(const T* x, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                          std::int64_t columns, T* parts, cudaStream_t stream) {
  if (segments > 0 && columns > 0) {
    start_reduction(x, offsets, segments, columns, static_cast<int>(segment_parts(segments, rows)), false, parts,
                    stream);
  }
}

template <class T>
void reduce_segments(const T* x, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                     std::int64_t columns, bool mean, T* scratch, T* result, cudaStream_t stream) {
  if (segments == 0 || columns == 0) {
    return;
  }
  const auto parts = static_cast<int>(segment_parts(segments, rows));
  start_reduction(x, offsets, segments, columns, parts, mean, parts == 1 ? result : scratch, stream);
  if (parts > 1) {
    launch(merge_parts<T>, blocks_for(segments * columns), kThreads, 0, stream, scratch, offsets, segments, columns,
           parts, mean, result);
  }
}

template <class T>
void scale_values(const T* values, const T* scale, std::int64_t count, T* scaled, cudaStream_t stream) {
  if (count > 0) {
    launch(scale_kernel<T>, blocks_for((count + 3) / 4), kThreads, 0, stream, values, scale, count, scaled);
  }
}

template <class T>
void spread_segments(const T* grad, const std::int64_t* offsets, std::int64_t segments, std::int64_t rows,
                     std::int64_t columns, bool mean, T* result, cudaStream_t stream) {
  if (rows > 0 && columns > 0) {
    launch(spread_kernel<T>, blocks_for(rows * 32), kThreads, 0, stream, grad, offsets, segments, rows, columns, mean,
           result);
  }
}

std::int64_t label_loss_scratch(std::int64_t graphs, int factors) { return loss_blocks(graphs * factors); }

template <class T>
void label_loss(const T* logits, std::int64_t graphs, const std::int64_t* real_graphs, int factors, double* scratch,
                T* loss, T* gradient, cudaStream_t stream) {
  const std::int64_t rows = graphs * factors;
  const int blocks = loss_blocks(rows);
  launch(label_kernel<T>, blocks, kThreads, 0, stream, logits, rows, real_graphs, factors, scratch, loss, gradient);
  if (blocks > 1) {
    launch(sum_losses<T>, 1, 32, 0, stream, scratch, blocks, double(rows), real_graphs, factors, loss);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                                                                      \
  template void activate_values<T>(const T*, bool, T, std::int64_t, T*, cudaStream_t);                                \
  template void activate_backward<T>(const T*, const T*, bool, T, std::int64_t, T*, cudaStream_t);                    \
  template void reduce_segments<T>(const T*, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t, bool, T*, \
                                   T*, cudaStream_t);                                                                 \
  template void reduce_segment_parts<T>(const T*, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t, T*,  \
                                        cudaStream_t);                                                                \
  template void scale_values<T>(const T*, const T*, std::int64_t, T*, cudaStream_t);                                  \
  template void spread_segments<T>(const T*, const std::int64_t*, std::int64_t, std::int64_t, std::int64_t, bool, T*, \
                                   cudaStream_t);                                                                     \
  template void label_loss<T>(const T*, std::int64_t, const std::int64_t*, int, double*, T*, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
