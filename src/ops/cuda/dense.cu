// Products of many rows with a small matrix, and their gradients.
//
// A block multiplies a tile of rows by up to 64 columns. The tile's rows lie one after the other in memory and are
// copied to shared memory in one go, up to kChunk columns of them at a time. A thread owns 4 columns of 1, 2 or 4 rows;
// how threads are spread follows the number of columns, so that 8, 18 or 72 columns waste little. What surrounds the
// product (bias and its scale, tanh and its derivative, the mean over graphs) happens while tiles are read or written.
// A short launch is as long as the loads that wait for each other, so a block asks for all that it needs at once: what
// is copied as it is goes straight to shared memory, and what the end of a tile needs is asked for at its beginning.
//
// Gradients take two launches. In the first some blocks compute grad_x (with the bias as one more column, whose result
// is the gradient of bias_scale) and others partial sums of the weight gradient over fixed ranges of rows (with the
// bias scale as one more column of x); the second adds the partial sums in order. No atomics: the same bits each time.
#include "ops/cuda/dense.h"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/graph_search.cuh"
#include "ops/cuda/instructions.cuh"
#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kTileColumns = 64;
constexpr int kMaxTileRows = 256;
constexpr int kPad = 4;

// Sizes in values, so that all of a block's shared memory stays below 48 KB in both precisions.
template <class T>
inline constexpr int kChunk = 288 / int(sizeof(T));
template <class T>
inline constexpr int kTileValues = 24 * 1024 / int(sizeof(T));

__host__ __device__ inline int round_up(int value, int step) { return (value + step - 1) / step * step; }

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

/// Starts to bring the next map's weights, and behind them its biases, to shared memory.
template <class T>
__device__ __forceinline__ void fetch_next(const Product<T>& p, T* next) {
  const int weights = p.next_columns * p.columns;
  for (int i = threadIdx.x; i < weights + p.next_columns; i += kThreads) {
    start_copy(next + i, i < weights ? p.next_weight + i : p.next_bias + (i - weights));
  }
}

/// The next map of the rows that a block has just computed; `y`: those rows, `stride` apart; `next`: what fetch_next()
/// has brought.
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
    fetch_next(p, tile.next);
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

/// Partial sums of grad^T x over ranges of rows: partials[range][out][in + 1], the last column being the bias.
template <class T>
struct WeightSums {
  Rows<T> grad;
  const T* x = nullptr;
  const T* bias_scale = nullptr;
  std::int64_t count = 0, range_rows = 0;
  int in = 0, out = 0;
  T* partials = nullptr;
  // layout
  int out_tiles = 1, in_tiles = 1, out_groups = 1, in_groups = 1, slices = 1, step_rows = 1;
};

template <class T>
struct WeightTile {
  union {
    alignas(16) T step[kTileValues<T> + 1024];
    T slices[kThreads * 17];
  };
  RowSource<T> sources[kMaxTileRows];
};

template <class T>
__device__ void sum_weights(const WeightSums<T>& p, int block, WeightTile<T>& tile) {
  const int tiles = p.out_tiles * p.in_tiles;
  const int range = block / tiles, out_tile = block % tiles % p.out_tiles, in_tile = block % tiles / p.out_tiles;
  const int out_columns = p.out_groups * 4, in_columns = p.in_groups * 4;
  const int first_out = out_tile * out_columns, first_in = in_tile * in_columns;
  const int out_depth = p.out - first_out < out_columns ? p.out - first_out : out_columns;
  const int grad_stride = out_columns + kPad, x_stride = in_columns + kPad;
  T* grad_values = tile.step;
  T* x_values = tile.step + p.step_rows * grad_stride;
  const int groups = p.out_groups * p.in_groups;
  const int slice = threadIdx.x / groups, group = threadIdx.x - slice * groups;
  const int og = group % p.out_groups, ig = group / p.out_groups;
  const bool working = slice < p.slices;
  const std::int64_t begin = range * p.range_rows;
  const std::int64_t end = begin + p.range_rows < p.count ? begin + p.range_rows : p.count;
  T sum[4][4] = {};
  for (std::int64_t first = begin; first < end; first += p.step_rows) {
    find_sources(p.grad, first, end, p.step_rows, tile.sources);
    load_rows(p.grad, tile.sources, first, end, p.step_rows, first_out, out_depth, grad_stride, grad_values);
    for (Cursor at(p.in_groups); at.outer < p.step_rows; at.next()) {
      const std::int64_t row = first + at.outer;
      const int column = first_in + at.inner * 4;
      T* const place = x_values + at.outer * x_stride + at.inner * 4;
      if (row < end && p.in % 4 == 0 && column + 4 <= p.in) {
        start_copy_of_four(place, p.x + row * p.in + column);
        continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (row < end && column + j < p.in) {
          start_copy(place + j, p.x + row * p.in + column + j);
        } else if (row < end && column + j == p.in && p.bias_scale != nullptr) {
          start_copy(place + j, p.bias_scale + row);
        } else {
          place[j] = T(row < end && column + j == p.in ? 1 : 0);
        }
      }
    }
    wait_for_copies();
    __syncthreads();
    if (working) {
#pragma unroll 2
      for (int r = slice; r < p.step_rows; r += p.slices) {
        const Values<T, 4> g = load_values<T, 4>(grad_values + r * grad_stride + og * 4);
        const Values<T, 4> x = load_values<T, 4>(x_values + r * x_stride + ig * 4);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum[i][j] += g.at[i] * x.at[j];
          }
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    tile.slices[threadIdx.x * 17 + i] = sum[i / 4][i % 4];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < groups * 16; i += kThreads) {
    const int g = i / 16, e = i % 16;
    T total = 0;
#pragma unroll 4
    for (int s = 0; s < p.slices; ++s) {
      total += tile.slices[(s * groups + g) * 17 + e];
    }
    const int row = first_out + g % p.out_groups * 4 + e / 4, column = first_in + g / p.out_groups * 4 + e % 4;
    if (row < p.out && column <= p.in) {
      p.partials[(std::int64_t(range) * p.out + row) * (p.in + 1) + column] = total;
    }
  }
}

template <class T, bool kNext>
__global__ void __launch_bounds__(kThreads, sizeof(T) == sizeof(float) ? 4 : 2) multiply(Product<T> product) {
  __shared__ ProductTile<T> tile;
  wait_for_previous();
  multiply_any_tile<T, kNext>(product, blockIdx.x, tile);
}

/// Blocks of weight sums come first: they take longest.
template <class T>
__global__ void __launch_bounds__(kThreads, 4)
    gradients(Product<T> product, WeightSums<T> weights, int weight_blocks, WeightSums<T> other, int other_blocks) {
  __shared__ union Tile {
    ProductTile<T> product;
    WeightTile<T> weights;
    __device__ Tile() {}
  } tile;
  wait_for_previous();
  const int block = int(blockIdx.x);
  if (block < weight_blocks + other_blocks) {
    // One place in the code for both: what is not in the instruction cache takes longer than these sums.
    const WeightSums<T> sums = block < weight_blocks ? weights : other;
    sum_weights(sums, block < weight_blocks ? block : block - weight_blocks, tile.weights);
  } else {
    multiply_any_tile<T, false>(product, block - weight_blocks - other_blocks, tile.product);
  }
}

/// Several maps' sums; kernels' arguments have 4 KB.
template <class T>
struct ManyWeightSums {
  int count = 0;
  int first_block[kMostWeightSums] = {};
  WeightSums<T> at[kMostWeightSums];
};
static_assert(sizeof(ManyWeightSums<float>) <= 4096 && sizeof(ManyWeightSums<double>) <= 4096);

template <class T>
__global__ void __launch_bounds__(kThreads, 4) sum_many_weights(ManyWeightSums<T> sums) {
  __shared__ WeightTile<T> tile;
  wait_for_previous();
  const int block = int(blockIdx.x);
  int i = 0;
  while (i + 1 < sums.count && block >= sums.first_block[i + 1]) {
    ++i;
  }
  sum_weights(sums.at[i], block - sums.first_block[i], tile);
}

/// Adds the partial sums: 16 threads per element, each a fixed share of the ranges, then those in order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_partials(const T* partials, int ranges, int out, int in, T* grad_weight, T* grad_bias) {
  constexpr int kShares = kWeightShares, kElements = kThreads / kShares;
  __shared__ T shares[kShares][kElements];
  wait_for_previous();
  const std::int64_t size = std::int64_t(out) * (in + 1);
  const int element = threadIdx.x % kElements, share = threadIdx.x / kElements;
  const std::int64_t at = std::int64_t(blockIdx.x) * kElements + element;
  T sum = 0;
  if (at < size) {
#pragma unroll 8
    for (int range = share; range < ranges; range += kShares) {
      sum += partials[range * size + at];
    }
  }
  shares[share][element] = sum;
  __syncthreads();
  if (share != 0 || at >= size) {
    return;
  }
  T total = 0;
  for (int s = 0; s < kShares; ++s) {
    total += shares[s][element];
  }
  const int row = int(at / (in + 1)), column = int(at % (in + 1));
  if (column < in) {
    if (grad_weight != nullptr) {
      grad_weight[row * in + column] = total;
    }
  } else if (grad_bias != nullptr) {
    grad_bias[row] = total;
  }
}

int ceil_div(std::int64_t a, std::int64_t b) { return static_cast<int>((a + b - 1) / b); }

/// Cuts columns into tiles of about equal width; returns the width in groups of 4.
int cut_columns(int columns, int& tiles) {
  tiles = ceil_div(columns, kTileColumns);
  return ceil_div(ceil_div(columns, tiles), 4);
}

/// Spreads threads over rows and columns; returns the number of blocks. `others`: blocks of the same launch that do
/// something else.
template <class T>
int plan(Product<T>& p, int others = 0) {
  constexpr int kMultiprocessors = 132, kBlocksWanted = 2 * kMultiprocessors, kWave = 4 * kMultiprocessors;
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

int ranges_of(std::int64_t rows, int in, int out) {
  const std::int64_t room = (std::int64_t(1) << 20) / (std::int64_t(out) * (in + 1));
  const std::int64_t most = room < 128 ? 128 : (room < 1024 ? room : 1024);
  // Short ranges while there are few: a block's time is what counts then, and adding them up is little work.
  const std::int64_t range_rows = rows <= (1 << 14) ? 64 : 128, wanted = (rows + range_rows - 1) / range_rows;
  return static_cast<int>(wanted < 1 ? 1 : (wanted < most ? wanted : most));
}

}  // namespace

template <class T>
void run_dense(const DenseForward<T>& problem, cudaStream_t stream) {
  if (problem.rows == 0) {
    return;
  }
  Product<T> p;
  p.rows.values = problem.x;
  p.rows.columns = problem.in;
  p.count = problem.rows;
  p.depth = problem.in;
  p.columns = problem.out;
  p.matrix = problem.weight;
  p.depth_stride = 1;
  p.column_stride = problem.in;
  p.bias = problem.bias;
  p.bias_scale = problem.bias_scale;
  p.tanh = problem.tanh;
  p.result = problem.y;
  p.next_weight = problem.next_weight;
  p.next_bias = problem.next_bias;
  p.next_columns = problem.next_out;
  p.next_result = problem.next_y;
  const int blocks = plan(p);
  launch(p.next_result != nullptr ? multiply<T, true> : multiply<T, false>, blocks, kThreads, 0, stream, p);
}

bool can_follow(int out, int next_out) { return out <= kTileColumns && (out + 1) * next_out <= kNextValues; }

std::int64_t weight_partials(std::int64_t rows, int in, int out) {
  return std::int64_t(ranges_of(rows, in, out)) * out * (in + 1);
}

int weight_ranges(std::int64_t rows, int in, int out) { return ranges_of(rows, in, out); }

namespace {

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

/// grad_x and the gradient of bias_scale; returns the number of blocks, beside those of others.
template <class T>
int plan_input_gradient(const DenseBackward<T>& problem, int others, Product<T>& p) {
  if (problem.rows == 0 || (problem.grad_x == nullptr && problem.grad_bias_scale == nullptr)) {
    return 0;
  }
  p.rows = upstream_of(problem);
  p.count = problem.rows;
  p.depth = problem.out;
  p.columns = problem.grad_x != nullptr ? problem.in : 0;
  p.matrix = problem.weight;
  p.depth_stride = problem.in;
  p.column_stride = 1;
  p.extra_column = problem.grad_bias_scale != nullptr ? problem.bias : nullptr;
  p.result = problem.grad_x;
  p.extra_result = problem.grad_bias_scale;
  p.scale = problem.scale;
  p.joins = problem.joins_x;
  p.joins_extra = problem.joins_bias_scale;
  return plan(p, others);
}

template <class T>
bool wants_weights(const DenseBackward<T>& problem) {
  return problem.grad_weight != nullptr || problem.grad_bias != nullptr || problem.leaves_partials;
}

/// Partial sums of the weights' gradient; returns the number of blocks.
template <class T>
int plan_weight_sums(const DenseBackward<T>& problem, WeightSums<T>& w) {
  if (!wants_weights(problem)) {
    return 0;
  }
  const int ranges = ranges_of(problem.rows, problem.in, problem.out);
  w.grad = upstream_of(problem);
  w.x = problem.x;
  w.bias_scale = problem.bias_scale;
  w.count = problem.rows;
  w.range_rows = ceil_div(problem.rows, ranges);
  w.in = problem.in;
  w.out = problem.out;
  w.partials = problem.partials;
  w.out_groups = cut_columns(problem.out, w.out_tiles);
  w.in_groups = cut_columns(problem.in + 1, w.in_tiles);
  const int fits = kTileValues<T> / (4 * (w.out_groups + w.in_groups) + 2 * kPad);
  w.step_rows = fits < kMaxTileRows ? fits : kMaxTileRows;
  w.step_rows = w.step_rows < w.range_rows ? w.step_rows : static_cast<int>(w.range_rows > 1 ? w.range_rows : 1);
  const int slices = kThreads / (w.out_groups * w.in_groups);
  w.slices = slices < w.step_rows ? slices : w.step_rows;
  return ranges * w.out_tiles * w.in_tiles;
}

}  // namespace

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, const DenseBackward<T>& other, cudaStream_t stream) {
  Product<T> p;
  WeightSums<T> w, v;
  const int weight_blocks = plan_weight_sums(problem, w), other_blocks = plan_weight_sums(other, v);
  const int product_blocks = plan_input_gradient(problem, weight_blocks + other_blocks, p);
  if (product_blocks + weight_blocks + other_blocks > 0) {
    launch(gradients<T>, weight_blocks + other_blocks + product_blocks, kThreads, 0, stream, p, w, weight_blocks, v,
           other_blocks);
  }
  if (wants_weights(problem) && !problem.leaves_partials) {
    const int blocks = ceil_div(std::int64_t(problem.out) * (problem.in + 1), 16);
    launch(add_partials<T>, blocks, kThreads, 0, stream, problem.partials,
           ranges_of(problem.rows, problem.in, problem.out), problem.out, problem.in, problem.grad_weight,
           problem.grad_bias);
  }
}

template <class T>
void run_weight_sums(const DenseBackward<T>* maps, int count, cudaStream_t stream) {
  for (int done = 0; done < count;) {
    ManyWeightSums<T> sums;
    int blocks = 0;
    while (done < count && sums.count < kMostWeightSums) {
      sums.first_block[sums.count] = blocks;
      blocks += plan_weight_sums(maps[done++], sums.at[sums.count++]);
    }
    if (blocks > 0) {
      launch(sum_many_weights<T>, blocks, kThreads, 0, stream, sums);
    }
  }
}

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, cudaStream_t stream) {
  run_dense_backward(problem, DenseBackward<T>{}, stream);
}

template void run_dense<float>(const DenseForward<float>&, cudaStream_t);
template void run_dense<double>(const DenseForward<double>&, cudaStream_t);
template void run_dense_backward<float>(const DenseBackward<float>&, cudaStream_t);
template void run_dense_backward<double>(const DenseBackward<double>&, cudaStream_t);
template void run_dense_backward<float>(const DenseBackward<float>&, const DenseBackward<float>&, cudaStream_t);
template void run_dense_backward<double>(const DenseBackward<double>&, const DenseBackward<double>&, cudaStream_t);
template void run_weight_sums<float>(const DenseBackward<float>*, int, cudaStream_t);
template void run_weight_sums<double>(const DenseBackward<double>*, int, cudaStream_t);

}  // namespace factorgcn::cuda
