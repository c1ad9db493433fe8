// Rows of a dense map on their way to shared memory: as they are stored, or a gradient that first goes back through the
// mean over graphs and the tanh.
//
// A tile's rows lie one after the other in memory and are copied in one go, up to kChunk columns of them at a time. A
// short launch is as long as the loads that wait for each other, so a block asks for all that it needs at once: what is
// copied as it is goes straight to shared memory.
#pragma once

#include "ops/cuda/dense.h"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/graph_search.cuh"
#include "ops/cuda/instructions.cuh"

namespace factorgcn::cuda::dense_map {

/// Threads of a block.
inline constexpr int kThreads = 256;
inline constexpr int kTileColumns = 64;
inline constexpr int kMaxTileRows = 256;
inline constexpr int kPad = 4;

// Sizes in values, so that all of a block's shared memory stays below 48 KB in both precisions.
template <class T>
inline constexpr int kChunk = 288 / int(sizeof(T));
template <class T>
inline constexpr int kTileValues = 24 * 1024 / int(sizeof(T));

__host__ __device__ inline int round_up(int value, int step) { return (value + step - 1) / step * step; }

inline int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// Cuts columns into tiles of about equal width; returns the width in groups of 4.
inline int cut_columns(int columns, int& tiles) {
  tiles = ceil_div(columns, kTileColumns);
  return ceil_div(ceil_div(columns, tiles), 4);
}

/// Rows as they are multiplied: as stored, or a gradient that first goes back through the mean and the tanh.
template <class T>
struct Rows {
  const T* values = nullptr;
  const T* tanh = nullptr;
  const std::int64_t* graph_offsets = nullptr;
  int graphs = 0, factors = 1;
  std::int64_t nodes = 0;
  int columns = 0;
};

/// Where a row's values are and what they are multiplied by.
template <class T>
struct RowSource {
  std::int64_t at;
  T scale;
};

template <class T>
__device__ __forceinline__ RowSource<T> source_of(const Rows<T>& rows, std::int64_t row) {
  if (rows.graph_offsets == nullptr) {
    return {row * rows.columns, T(1)};
  }
  const std::int64_t node = row / rows.factors;  // the only division per row
  const int graph = graph_of(rows.graph_offsets, rows.graphs, rows.nodes, node);
  const T count = T(rows.graph_offsets[graph + 1] - rows.graph_offsets[graph]);
  return {(std::int64_t(graph) * rows.factors + (row - node * rows.factors)) * rows.columns, T(1) / count};
}

/// The gradient of a map's result.
template <class T>
Rows<T> upstream_of(const DenseBackward<T>& problem) {
  Rows<T> grad;
  grad.values = problem.grad_y;
  grad.tanh = problem.y;
  grad.graph_offsets = problem.graphs > 0 ? problem.graph_offsets : nullptr;
  grad.graphs = static_cast<int>(problem.graphs);
  grad.factors = problem.factors;
  grad.nodes = problem.rows / problem.factors;
  grad.columns = problem.out;
  return grad;
}

/// A thread's places in an array of rows of `width`, kThreads apart. A division costs as much as the rest of a copy, so
/// there is one at the start, and each step carries over by hand.
struct Cursor {
  int outer, inner, width, outer_step, inner_step;

  __device__ explicit Cursor(int row_width) : width(row_width) {
    outer = int(threadIdx.x) / width;
    inner = int(threadIdx.x) - outer * width;
    outer_step = kThreads / width;
    inner_step = kThreads - outer_step * width;
  }
  __device__ __forceinline__ void next() {
    outer += outer_step;
    inner += inner_step;
    if (inner >= width) {
      inner -= width;
      ++outer;
    }
  }
};

/// put(row, column, fetch(row, column)) for all places of a [rows, width] array.
template <class Fetch, class Put>
__device__ __forceinline__ void copy_all(int rows, int width, Fetch fetch, Put put) {
#pragma unroll 4
  for (Cursor at(width); at.outer < rows; at.next()) {
    put(at.outer, at.inner, fetch(at.outer, at.inner));
  }
}

/// Starts to copy four values as they are; wait_for_copies() before they are used.
template <class T>
__device__ __forceinline__ void start_copy_of_four(T* to, const T* from) {
  using Part = Values<T, 16 / sizeof(T)>;  // as much as goes at a time
#pragma unroll
  for (int i = 0; i < int(4 * sizeof(T) / 16); ++i) {
    start_copy(reinterpret_cast<Part*>(to) + i, reinterpret_cast<const Part*>(from) + i);
  }
}

/// Copies columns first .. first + depth of a tile's rows to shared memory, rows `stride` apart, padded with zeros.
/// To be used after wait_for_copies().
template <class T>
__device__ __forceinline__ void load_rows(const Rows<T>& rows, const RowSource<T>* sources, std::int64_t first_row,
                                          std::int64_t count, int tile_rows, int first, int depth, int stride, T* to) {
  const bool pooled = rows.graph_offsets != nullptr;
  if (rows.columns % 4 == 0 && depth % 4 == 0) {
    const int fours = depth / 4;
    if (rows.tanh == nullptr && !pooled) {
      for (Cursor at(fours); at.outer < tile_rows; at.next()) {
        const std::int64_t row = first_row + at.outer;
        T* const place = to + at.outer * stride + at.inner * 4;
        if (row < count) {
          start_copy_of_four(place, rows.values + row * rows.columns + first + at.inner * 4);
        } else {
          store_values(place, Values<T, 4>{});
        }
      }
      return;
    }
    copy_all(
        tile_rows, fours,
        [&](int r, int four) {
          const int k = four * 4;
          const std::int64_t row = first_row + r;
          Values<T, 4> values{};
          if (row < count) {
            const std::int64_t plain = row * rows.columns + first + k;
            values = read_four(rows.values + (pooled ? sources[r].at + first + k : plain));
            if (rows.tanh != nullptr) {
              const Values<T, 4> y = read_four(rows.tanh + plain);
              const T scale = pooled ? sources[r].scale : T(1);
#pragma unroll
              for (int v = 0; v < 4; ++v) {
                values.at[v] *= scale * (1 - y.at[v] * y.at[v]);
              }
            }
          }
          return values;
        },
        [&](int r, int four, const Values<T, 4>& values) { store_values(to + r * stride + four * 4, values); });
    return;
  }
  const int padded = round_up(depth, 4);
  copy_all(
      tile_rows, padded,
      [&](int r, int k) {
        const std::int64_t row = first_row + r;
        T value = 0;
        if (row < count && k < depth) {
          const std::int64_t plain = row * rows.columns + first + k;
          value = __ldg(rows.values + (pooled ? sources[r].at + first + k : plain));
          if (rows.tanh != nullptr) {
            const T y = __ldg(rows.tanh + plain);
            value *= (pooled ? sources[r].scale : T(1)) * (1 - y * y);
          }
        }
        return value;
      },
      [&](int r, int k, T value) { to[r * stride + k] = value; });
}

/// The rows' places, where they belong to graphs.
template <class T>
__device__ __forceinline__ void find_sources(const Rows<T>& rows, std::int64_t first_row, std::int64_t count,
                                             int tile_rows, RowSource<T>* sources) {
  if (rows.graph_offsets == nullptr) {
    return;
  }
  for (int r = threadIdx.x; r < tile_rows; r += kThreads) {
    if (first_row + r < count) {
      sources[r] = source_of(rows, first_row + r);
    }
  }
  __syncthreads();
}

}  // namespace factorgcn::cuda::dense_map
