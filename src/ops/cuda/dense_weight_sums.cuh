// A block's share of the gradient of a dense map's weights: partial sums over a fixed range of rows, with the bias
// scale as one more column of x, whose sums are the gradient of the bias. Whoever needs them adds the ranges in order.
#pragma once

#include "ops/cuda/dense_rows.cuh"

namespace factorgcn::cuda::dense_map {

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

/// Into how many ranges rows are cut.
inline int ranges_of(std::int64_t rows, int in, int out) {
  const std::int64_t room = (std::int64_t(1) << 20) / (std::int64_t(out) * (in + 1));
  const std::int64_t most = room < 128 ? 128 : (room < 1024 ? room : 1024);
  // Short ranges while there are few: a block's time is what counts then, and adding them up is little work.
  const std::int64_t range_rows = rows <= (1 << 14) ? 64 : 128, wanted = (rows + range_rows - 1) / range_rows;
  return static_cast<int>(wanted < 1 ? 1 : (wanted < most ? wanted : most));
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

}  // namespace factorgcn::cuda::dense_map
