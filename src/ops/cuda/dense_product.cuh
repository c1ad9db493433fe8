// A block's tile of a product of many rows with a small matrix, up to 64 columns of it.
//
// A thread owns 4 columns of 1, 2 or 4 rows; how threads are spread follows the number of columns, so that 8, 18 or 72
// columns waste little. What surrounds the product (bias and its scale, tanh, what is added to it, another map of the
// result) happens while tiles are read or written; what the end of a tile needs is asked for at its beginning.
#pragma once

#include "ops/cuda/dense_rows.cuh"
#include "ops/cuda/map_weights.cuh"
#include "ops/cuda/multiprocessors.h"

namespace factorgcn::cuda::dense_map {

/// One product: rows of `depth` values times B[k][n] = matrix[k * depth_stride + n * column_stride].
template <class T>
struct Product {
  Rows<T> rows;
  std::int64_t count = 0;
  int depth = 0, columns = 0;
  const T* matrix = nullptr;
  int depth_stride = 0, column_stride = 0;
  const T* extra_column = nullptr;  // B[k][columns], or null
  const T* bias = nullptr;
  const T* bias_scale = nullptr;
  bool tanh = false;
  T* result = nullptr;
  T* extra_result = nullptr;
  const T* scale = nullptr;  // result = joins + scale * product, extra_result = scale * (joins_extra + product)
  const T *joins = nullptr, *joins_extra = nullptr;
  const T *next_weight = nullptr, *next_bias = nullptr;  // [next_columns, columns]
  T* next_result = nullptr;
  int next_columns = 0;
  // layout
  int row_groups = 1, column_groups = 1, rows_per_thread = 1;
  int column_tiles = 1;
};

/// Values of the next map's weights and biases that a tile has room for.
inline constexpr int kNextValues = 512;

template <class T>
struct ProductTile {
  alignas(16) T x[kTileValues<T>];
  alignas(16) T matrix[kChunk<T> * (kTileColumns + kPad)];
  union {  // a gradient's rows have sources, what another map follows has none
    RowSource<T> sources[kMaxTileRows];
    T next[kNextValues];
  };
};

/// The next map of the rows that a block has just computed; `y`: those rows, `stride` apart; `next`: its weights and
/// biases.
template <class T>
__device__ void multiply_next(const Product<T>& p, std::int64_t first_row, int tile_rows, int stride, const T* y,
                              const T* next) {
  __syncthreads();
  for (Cursor at(p.next_columns); at.outer < tile_rows; at.next()) {
    const std::int64_t row = first_row + at.outer;
    if (row < p.count) {
      T sum = 0;
      for (int c = 0; c < p.columns; ++c) {
        sum += y[at.outer * stride + c] * next[at.inner * p.columns + c];
      }
      p.next_result[row * p.next_columns + at.inner] = sum + next[p.next_columns * p.columns + at.inner];
    }
  }
}

/// What the end of a row needs for four of its columns, beside the product itself.
template <class T>
struct RowEnd {
  T bias_scale = 1, bias[4] = {}, scale = 1, joins[4] = {}, joins_extra = 0;

  RowEnd() = default;
  __device__ __forceinline__ RowEnd(const Product<T>& p, std::int64_t row, int column) {
    if (p.bias_scale != nullptr) {
      bias_scale = p.bias_scale[row];
    }
    if (p.scale != nullptr) {
      scale = *p.scale;
    }
    if (p.joins_extra != nullptr) {
      joins_extra = p.joins_extra[row];
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (p.bias != nullptr && column + j < p.columns) {
        bias[j] = p.bias[column + j];
      }
      if (p.joins != nullptr && column + j < p.columns) {
        joins[j] = p.joins[row * p.columns + column + j];
      }
    }
  }
};

/// kNext: another map of the result follows at once.
template <class T, int R, bool kNext>
__device__ void multiply_tile(const Product<T>& p, int block, ProductTile<T>& tile) {
  const int tile_rows = p.row_groups * R, tile_columns = p.column_groups * 4;
  const std::int64_t first_row = std::int64_t(block / p.column_tiles) * tile_rows;
  const int first_column = block % p.column_tiles * tile_columns;
  const int all_columns = p.columns + (p.extra_column != nullptr ? 1 : 0);
  const int cg = threadIdx.x % p.column_groups, rg = threadIdx.x / p.column_groups;
  const bool working = rg < p.row_groups;
  const int column = first_column + cg * 4;
  RowEnd<T> early;  // with more rows, whose launches are long, registers count more than the wait
  if (R == 1 && working && first_row + rg < p.count) {
    early = RowEnd<T>(p, first_row + rg, column);
  }
  if constexpr (kNext) {
    start_map_copy(tile.next, p.next_weight, p.next_columns * p.columns, p.next_bias, p.next_columns, kThreads);
  }
  find_sources(p.rows, first_row, p.count, tile_rows, tile.sources);
  T sum[R][4] = {};
  for (int k0 = 0; k0 < p.depth; k0 += kChunk<T>) {
    const int depth = p.depth - k0 < kChunk<T> ? p.depth - k0 : kChunk<T>;
    const int padded = round_up(depth, 4), stride = padded + kPad;
    load_rows(p.rows, tile.sources, first_row, p.count, tile_rows, k0, depth, stride, tile.x);
    // Consecutive threads read consecutive values of the matrix, whichever way it lies.
    const bool along_depth = p.depth_stride == 1;
    for (Cursor at(along_depth ? padded : tile_columns); at.outer < (along_depth ? tile_columns : padded); at.next()) {
      const int k = along_depth ? at.inner : at.outer, n = along_depth ? at.outer : at.inner;
      const int column = first_column + n;
      T* const place = tile.matrix + k * (kTileColumns + kPad) + n;
      if (k < depth && column < p.columns) {
        start_copy(place, p.matrix + (k0 + k) * p.depth_stride + column * p.column_stride);
      } else if (k < depth && column < all_columns) {
        start_copy(place, p.extra_column + k0 + k);
      } else {
        *place = 0;
      }
    }
    wait_for_copies();
    __syncthreads();
    if (working) {
      const T* mine = tile.x + rg * stride;
      const T* other = tile.matrix + cg * 4;
#pragma unroll 2
      for (int k = 0; k < padded; k += 4) {
        Values<T, 4> b[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          b[q] = load_values<T, 4>(other + (k + q) * (kTileColumns + kPad));
        }
#pragma unroll
        for (int i = 0; i < R; ++i) {
          const Values<T, 4> a = load_values<T, 4>(mine + i * p.row_groups * stride + k);
#pragma unroll
          for (int q = 0; q < 4; ++q) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              sum[i][j] += a.at[q] * b[q].at[j];
            }
          }
        }
      }
    }
    __syncthreads();
  }
  const int y_stride = p.columns + 1;
#pragma unroll
  for (int i = 0; i < R; ++i) {
    const std::int64_t row = first_row + rg + i * p.row_groups;
    if (!working || row >= p.count) {
      continue;
    }
    const RowEnd<T> end = R == 1 ? early : RowEnd<T>(p, row, column);
    Values<T, 4> values;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      T value = sum[i][j];
      if (p.bias != nullptr) {
        value += end.bias_scale * end.bias[j];
      }
      values.at[j] = p.tanh ? tanh_of(value) : value;
      if (p.extra_column != nullptr && column + j == p.columns) {
        p.extra_result[row] = end.scale * (p.joins_extra != nullptr ? end.joins_extra + sum[i][j] : sum[i][j]);
      }
    }
    if (p.result == nullptr) {
      continue;
    }
    if (p.scale != nullptr) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        values.at[j] = end.scale * values.at[j] + end.joins[j];
      }
    }
    if constexpr (kNext) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (column + j < p.columns) {
          tile.x[(rg + i * p.row_groups) * y_stride + column + j] = values.at[j];
        }
      }
    }
    if (p.columns % 4 == 0 && column + 4 <= p.columns) {
      store_values(p.result + row * p.columns + column, values);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (column + j < p.columns) {
          p.result[row * p.columns + column + j] = values.at[j];
        }
      }
    }
  }
  if constexpr (kNext) {
    multiply_next(p, first_row, tile_rows, y_stride, tile.x, tile.next);
  }
}

template <class T, bool kNext>
__device__ __forceinline__ void multiply_any_tile(const Product<T>& p, int block, ProductTile<T>& tile) {
  if (p.rows_per_thread == 4) {
    multiply_tile<T, 4, kNext>(p, block, tile);
  } else if (p.rows_per_thread == 2) {
    multiply_tile<T, 2, kNext>(p, block, tile);
  } else {
    multiply_tile<T, 1, kNext>(p, block, tile);
  }
}

/// Spreads threads over rows and columns; returns the number of blocks. `others`: blocks of the same launch that do
/// something else.
template <class T>
int plan(Product<T>& p, int others = 0) {
  constexpr int kBlocksWanted = 2 * kMultiprocessors, kWave = 4 * kMultiprocessors;
  p.column_groups = cut_columns(p.columns + (p.extra_column != nullptr ? 1 : 0), p.column_tiles);
  const int stride = round_up(p.depth < kChunk<T> ? p.depth : kChunk<T>, 4) + kPad;
  const int wider = p.next_result != nullptr && p.columns + 1 > stride ? p.columns + 1 : stride;
  const int fits = kTileValues<T> / wider, most = fits < kMaxTileRows ? fits : kMaxTileRows;
  p.row_groups = kThreads / p.column_groups < most ? kThreads / p.column_groups : most;
  p.rows_per_thread = 1;
  for (const int rows : {2, 4}) {
    if (p.row_groups * rows <= most && p.count * p.column_tiles / (p.row_groups * rows) >= kBlocksWanted) {
      p.rows_per_thread = rows;
    }
  }
  // Few rows: smaller tiles, so that all multiprocessors have some.
  while (p.rows_per_thread == 1 && p.row_groups >= 32 && p.count * p.column_tiles / p.row_groups < kBlocksWanted / 2) {
    p.row_groups /= 2;
  }
  const auto blocks_of = [&](int rows) { return ceil_div(p.count, p.row_groups * rows) * p.column_tiles; };
  // A few blocks more than run at a time take as long as twice as many.
  if (others > 0 && p.rows_per_thread == 1 && p.row_groups * 2 <= most && others + blocks_of(1) > kWave &&
      others + blocks_of(2) <= kWave) {
    p.rows_per_thread = 2;
  }
  return blocks_of(p.rows_per_thread);
}

}  // namespace factorgcn::cuda::dense_map
