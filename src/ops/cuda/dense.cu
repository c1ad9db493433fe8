// Products of many rows with a small matrix, and their gradients.
//
// A block multiplies a tile of rows by up to 64 columns; a thread owns 4 rows times 4 columns. How threads are spread
// over rows and columns follows the number of columns, so that 8, 18 or 72 columns waste little. What surrounds the
// product (bias and its scale, tanh and its derivative, the mean over graphs) happens while tiles are read or written.
//
// Gradients take two launches. In the first some blocks compute grad_x (with the bias as one more column, whose result
// is the gradient of bias_scale) and others partial sums of the weight gradient over fixed ranges of rows (with the
// bias scale as one more column of x); the second adds the partial sums in order. No atomics: the same bits each time.
#include "ops/cuda/dense.h"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kDepth = 16;       // columns of x per step
constexpr int kTileColumns = 64;
constexpr int kMaxTileRows = 256;
constexpr int kStepRows = 32;    // rows per step of the weight gradient
constexpr int kPad = 4;

/// Rows as they are multiplied: as stored, or a gradient that first goes back through the mean and the tanh.
template <class T>
struct Rows {
  const T* values = nullptr;
  const T* tanh = nullptr;
  const std::int64_t* graph_offsets = nullptr;
  int graphs = 0, factors = 1;
  int columns = 0;
};

/// Graph of a node, by bisection.
__device__ inline int graph_of(const std::int64_t* offsets, int graphs, std::int64_t node) {
  int low = 0, high = graphs - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (offsets[middle] <= node) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

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
  const std::int64_t node = row / rows.factors;
  const int graph = graph_of(rows.graph_offsets, rows.graphs, node);
  const T count = T(rows.graph_offsets[graph + 1] - rows.graph_offsets[graph]);
  return {(std::int64_t(graph) * rows.factors + row % rows.factors) * rows.columns, T(1) / count};
}

template <class T>
__device__ __forceinline__ T value_at(const Rows<T>& rows, const RowSource<T>& source, std::int64_t row, int column) {
  T value = rows.values[source.at + column] * source.scale;
  if (rows.tanh != nullptr) {
    const T y = rows.tanh[row * rows.columns + column];
    value *= 1 - y * y;
  }
  return value;
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
  // layout
  int row_groups = 1, column_groups = 1;
  int row_blocks = 0, column_tiles = 1;
};

template <class T>
struct ProductTile {
  T x[kDepth][kMaxTileRows + kPad];
  T matrix[kDepth][kTileColumns + kPad];
  RowSource<T> sources[kMaxTileRows];
};

template <class T>
__device__ void multiply_tile(const Product<T>& p, int block, ProductTile<T>& tile) {
  const int tile_rows = p.row_groups * 4, tile_columns = p.column_groups * 4;
  const int column_tile = block % p.column_tiles;
  const std::int64_t first_row = std::int64_t(block / p.column_tiles) * tile_rows;
  const int first_column = column_tile * kTileColumns;
  const int all_columns = p.columns + (p.extra_column != nullptr ? 1 : 0);
  const int cg = threadIdx.x % p.column_groups, rg = threadIdx.x / p.column_groups;
  const bool working = rg < p.row_groups;
  for (int r = threadIdx.x; r < tile_rows; r += blockDim.x) {
    if (first_row + r < p.count) {
      tile.sources[r] = source_of(p.rows, first_row + r);
    }
  }
  __syncthreads();
  T sum[4][4] = {};
  for (int k0 = 0; k0 < p.depth; k0 += kDepth) {
    const int depth = p.depth - k0 < kDepth ? p.depth - k0 : kDepth;
    for (int i = threadIdx.x; i < tile_rows * depth; i += blockDim.x) {
      const int r = i / depth, k = i - r * depth;
      const std::int64_t row = first_row + r;
      tile.x[k][r] = row < p.count ? value_at(p.rows, tile.sources[r], row, k0 + k) : T(0);
    }
    for (int i = threadIdx.x; i < tile_columns * depth; i += blockDim.x) {
      const int k = i / tile_columns, n = i - k * tile_columns, column = first_column + n;
      T value = 0;
      if (column < p.columns) {
        value = p.matrix[(k0 + k) * p.depth_stride + column * p.column_stride];
      } else if (column < all_columns) {
        value = p.extra_column[k0 + k];
      }
      tile.matrix[k][n] = value;
    }
    __syncthreads();
    if (working) {
#pragma unroll 4
      for (int k = 0; k < depth; ++k) {
        const Values<T, 4> a = load_values<T, 4>(&tile.x[k][rg * 4]);
        const Values<T, 4> b = load_values<T, 4>(&tile.matrix[k][cg * 4]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            sum[i][j] += a.at[i] * b.at[j];
          }
        }
      }
    }
    __syncthreads();
  }
  if (!working) {
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::int64_t row = first_row + rg * 4 + i;
    if (row >= p.count) {
      continue;
    }
    const T scale = p.bias_scale != nullptr ? p.bias_scale[row] : T(1);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = first_column + cg * 4 + j;
      if (column < p.columns) {
        T value = sum[i][j];
        if (p.bias != nullptr) {
          value += scale * p.bias[column];
        }
        sum[i][j] = p.tanh ? tanh_of(value) : value;
      } else if (column < all_columns) {
        p.extra_result[row] = sum[i][j];
      }
    }
    if (p.result == nullptr) {
      continue;
    }
    const int column = first_column + cg * 4;
    if (p.columns % 4 == 0 && column + 4 <= p.columns) {
      Values<T, 4> values;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        values.at[j] = sum[i][j];
      }
      store_values(p.result + row * p.columns + column, values);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (column + j < p.columns) {
          p.result[row * p.columns + column + j] = sum[i][j];
        }
      }
    }
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
  int out_tiles = 1, in_tiles = 1, out_groups = 1, in_groups = 1, slices = 1;
};

template <class T>
union WeightTile {
  struct {
    T grad[kStepRows][kTileColumns + kPad];
    T x[kStepRows][kTileColumns + kPad];
  } step;
  T slices[kThreads][16 + 1];
};

template <class T>
struct WeightWork {
  WeightTile<T> tile;
  RowSource<T> sources[kStepRows];
};

template <class T>
__device__ void sum_weights(const WeightSums<T>& p, int block, WeightWork<T>& work) {
  WeightTile<T>& tile = work.tile;
  const int tiles = p.out_tiles * p.in_tiles;
  const int range = block / tiles, out_tile = block % tiles % p.out_tiles, in_tile = block % tiles / p.out_tiles;
  const int first_out = out_tile * kTileColumns, first_in = in_tile * kTileColumns;
  const int out_columns = p.out_groups * 4, in_columns = p.in_groups * 4;
  const int groups = p.out_groups * p.in_groups;
  const int slice = threadIdx.x / groups, group = threadIdx.x - slice * groups;
  const int og = group % p.out_groups, ig = group / p.out_groups;
  const bool working = slice < p.slices;
  const std::int64_t begin = range * p.range_rows;
  const std::int64_t end = begin + p.range_rows < p.count ? begin + p.range_rows : p.count;
  T sum[4][4] = {};
  for (std::int64_t first = begin; first < end; first += kStepRows) {
    if (threadIdx.x < kStepRows && first + threadIdx.x < end) {
      work.sources[threadIdx.x] = source_of(p.grad, first + threadIdx.x);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kStepRows * out_columns; i += blockDim.x) {
      const int r = i / out_columns, c = i - r * out_columns;
      const std::int64_t row = first + r;
      const bool inside = row < end && first_out + c < p.out;
      tile.step.grad[r][c] = inside ? value_at(p.grad, work.sources[r], row, first_out + c) : T(0);
    }
    for (int i = threadIdx.x; i < kStepRows * in_columns; i += blockDim.x) {
      const int r = i / in_columns, c = i - r * in_columns, column = first_in + c;
      const std::int64_t row = first + r;
      T value = 0;
      if (row < end && column < p.in) {
        value = p.x[row * p.in + column];
      } else if (row < end && column == p.in) {
        value = p.bias_scale != nullptr ? p.bias_scale[row] : T(1);
      }
      tile.step.x[r][c] = value;
    }
    __syncthreads();
    if (working) {
      for (int r = slice; r < kStepRows; r += p.slices) {
        const Values<T, 4> g = load_values<T, 4>(&tile.step.grad[r][og * 4]);
        const Values<T, 4> x = load_values<T, 4>(&tile.step.x[r][ig * 4]);
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
    tile.slices[threadIdx.x][i] = sum[i / 4][i % 4];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < groups * 16; i += blockDim.x) {
    const int g = i / 16, e = i % 16;
    T total = 0;
    for (int s = 0; s < p.slices; ++s) {
      total += tile.slices[s * groups + g][e];
    }
    const int row = first_out + g % p.out_groups * 4 + e / 4, column = first_in + g / p.out_groups * 4 + e % 4;
    if (row < p.out && column <= p.in) {
      p.partials[(std::int64_t(range) * p.out + row) * (p.in + 1) + column] = total;
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) multiply(Product<T> product) {
  __shared__ ProductTile<T> tile;
  multiply_tile(product, blockIdx.x, tile);
}

template <class T>
__global__ void __launch_bounds__(kThreads) gradients(Product<T> product, int product_blocks, WeightSums<T> weights) {
  __shared__ union Tile {
    ProductTile<T> product;
    WeightWork<T> weights;
    __device__ Tile() {}
  } tile;
  if (int(blockIdx.x) < product_blocks) {
    multiply_tile(product, blockIdx.x, tile.product);
  } else {
    sum_weights(weights, blockIdx.x - product_blocks, tile.weights);
  }
}

/// Adds the partial sums: 8 threads per element, each a fixed share of the ranges, then those in order.
template <class T>
__global__ void __launch_bounds__(kThreads) add_partials(const T* partials, int ranges, int out, int in,
                                                         T* grad_weight, T* grad_bias) {
  __shared__ T shares[8][32];
  const std::int64_t size = std::int64_t(out) * (in + 1);
  const int element = threadIdx.x % 32, share = threadIdx.x / 32;
  const std::int64_t at = std::int64_t(blockIdx.x) * 32 + element;
  T sum = 0;
  if (at < size) {
#pragma unroll 4
    for (int range = share; range < ranges; range += 8) {
      sum += partials[range * size + at];
    }
  }
  shares[share][element] = sum;
  __syncthreads();
  if (share != 0 || at >= size) {
    return;
  }
  T total = 0;
  for (int s = 0; s < 8; ++s) {
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

/// Spreads threads over rows and columns; returns the number of blocks.
template <class T>
int plan(Product<T>& p) {
  const int columns = p.columns + (p.extra_column != nullptr ? 1 : 0);
  p.column_tiles = ceil_div(columns, kTileColumns);
  p.column_groups = ceil_div(columns < kTileColumns ? columns : kTileColumns, 4);
  int groups = kThreads / p.column_groups;
  groups = groups < kMaxTileRows / 4 ? groups : kMaxTileRows / 4;
  // Few rows: smaller tiles, so that all multiprocessors have some.
  const std::int64_t wanted = p.count * p.column_tiles / (4 * 264);
  const int least = 64 / p.column_groups > 8 ? 64 / p.column_groups : 8;
  if (wanted < groups) {
    groups = wanted > least ? static_cast<int>(wanted) : least;
  }
  p.row_groups = groups;
  p.row_blocks = ceil_div(p.count, groups * 4);
  return p.row_blocks * p.column_tiles;
}

int threads_of(int row_groups, int column_groups) { return (row_groups * column_groups + 31) / 32 * 32; }

int ranges_of(std::int64_t rows, int in, int out) {
  const std::int64_t size = std::int64_t(out) * (in + 1);
  const std::int64_t most = size > 4096 ? 128 : 256;
  const std::int64_t wanted = (rows + 63) / 64;
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
  const int blocks = plan(p);
  multiply<T><<<blocks, threads_of(p.row_groups, p.column_groups), 0, stream>>>(p);
}

std::int64_t weight_partials(std::int64_t rows, int in, int out) {
  return std::int64_t(ranges_of(rows, in, out)) * out * (in + 1);
}

template <class T>
void run_dense_backward(const DenseBackward<T>& problem, cudaStream_t stream) {
  Rows<T> grad;
  grad.values = problem.grad_y;
  grad.tanh = problem.y;
  grad.graph_offsets = problem.graphs > 0 ? problem.graph_offsets : nullptr;
  grad.graphs = static_cast<int>(problem.graphs);
  grad.factors = problem.factors;
  grad.columns = problem.out;

  Product<T> p;
  int product_blocks = 0;
  if (problem.rows > 0 && (problem.grad_x != nullptr || problem.grad_bias_scale != nullptr)) {
    p.rows = grad;
    p.count = problem.rows;
    p.depth = problem.out;
    p.columns = problem.grad_x != nullptr ? problem.in : 0;
    p.matrix = problem.weight;
    p.depth_stride = problem.in;
    p.column_stride = 1;
    p.extra_column = problem.grad_bias_scale != nullptr ? problem.bias : nullptr;
    p.result = problem.grad_x;
    p.extra_result = problem.grad_bias_scale;
    product_blocks = plan(p);
  }
  WeightSums<T> w;
  int weight_blocks = 0;
  const int ranges = ranges_of(problem.rows, problem.in, problem.out);
  const bool wants_weights = problem.grad_weight != nullptr || problem.grad_bias != nullptr;
  if (wants_weights) {
    w.grad = grad;
    w.x = problem.x;
    w.bias_scale = problem.bias_scale;
    w.count = problem.rows;
    w.range_rows = ceil_div(problem.rows, ranges);
    w.in = problem.in;
    w.out = problem.out;
    w.partials = problem.partials;
    w.out_tiles = ceil_div(problem.out, kTileColumns);
    w.in_tiles = ceil_div(problem.in + 1, kTileColumns);
    w.out_groups = ceil_div(problem.out < kTileColumns ? problem.out : kTileColumns, 4);
    w.in_groups = ceil_div(problem.in + 1 < kTileColumns ? problem.in + 1 : kTileColumns, 4);
    const int slices = kThreads / (w.out_groups * w.in_groups);
    w.slices = slices < kStepRows ? slices : kStepRows;
    weight_blocks = ranges * w.out_tiles * w.in_tiles;
  }
  if (product_blocks + weight_blocks > 0) {
    gradients<T><<<product_blocks + weight_blocks, kThreads, 0, stream>>>(p, product_blocks, w);
  }
  if (wants_weights) {
    const int blocks = ceil_div(std::int64_t(problem.out) * (problem.in + 1), 32);
    add_partials<T><<<blocks, kThreads, 0, stream>>>(problem.partials, ranges, problem.out, problem.in,
                                                     problem.grad_weight, problem.grad_bias);
  }
}

template void run_dense<float>(const DenseForward<float>&, cudaStream_t);
template void run_dense<double>(const DenseForward<double>&, cudaStream_t);
template void run_dense_backward<float>(const DenseBackward<float>&, cudaStream_t);
template void run_dense_backward<double>(const DenseBackward<double>&, cudaStream_t);

}  // namespace factorgcn::cuda
