// One small graph held by one block: its edges with local node numbers, its gates, and gated sums over its edges.
//
// A tile lies in shared memory; a graph that is too large for it takes the same path through a scratch in device
// memory.
#pragma once

#include "ops/cuda/device_math.cuh"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/tile_product.cuh"

namespace factorgcn::cuda {

/// Edges of one direction, node numbers counted from the graph's first node.
struct TileEdges {
  int* offsets;     // [rows + 1]
  int* neighbours;  // [edges]
};

/// What every kernel on tiles keeps of its graph.
template <class T>
struct GraphTile {
  std::int64_t first_node;
  int rows, edges;
  TileEdges in, out;
  T *left, *right;  // [rows, factors]: of a row's gates, rows 2 * factors apart
  T *source_weight, *target_weight;
};

/// Hands out pieces of a tile's memory.
template <class T>
struct TileMemory {
  T* values;
  int* numbers;
  __device__ T* take(int count) {
    T* piece = values;
    values += count;
    return piece;
  }
  __device__ int* take_numbers(int count) {
    int* piece = numbers;
    numbers += count;
    return piece;
  }
};

/// Where the graph begins and how large it is.
struct GraphPlace {
  std::int64_t first_node, first_edge;
  int rows, edges;
};

template <class T>
__device__ __forceinline__ GraphPlace place_of_graph(const TileGraphs<T>& graphs, std::int64_t graph) {
  const std::int64_t first = graphs.graph_offsets[graph], last = graphs.graph_offsets[graph + 1];
  const std::int64_t first_edge = graphs.in_offsets[first];
  return {first, first_edge, int(last - first), int(graphs.in_offsets[last] - first_edge)};
}

/// Copies edges, weights and gates; a barrier must follow. Node numbers of both directions start at the same edge,
/// since no edge leaves its graph.
template <class T>
__device__ __forceinline__ GraphTile<T> load_graph(Team team, const TileGraphs<T>& graphs, const GraphPlace& place,
                                                   TileMemory<T>& memory) {
  GraphTile<T> tile;
  tile.first_node = place.first_node;
  tile.rows = place.rows;
  tile.edges = place.edges;
  tile.in = {memory.take_numbers(place.rows + 1), memory.take_numbers(place.edges)};
  tile.out = {memory.take_numbers(place.rows + 1), memory.take_numbers(place.edges)};
  tile.left = memory.take(place.rows * 2 * graphs.factors);
  tile.right = tile.left + graphs.factors;
  tile.source_weight = memory.take(place.rows);
  tile.target_weight = memory.take(place.rows);
  for (int i = team.rank; i <= place.rows; i += team.size) {
    tile.in.offsets[i] = int(graphs.in_offsets[place.first_node + i] - place.first_edge);
    tile.out.offsets[i] = int(graphs.out_offsets[place.first_node + i] - place.first_edge);
    if (i < place.rows) {
      const std::int64_t node = place.first_node + i;
      tile.source_weight[i] = graphs.source_weight != nullptr ? graphs.source_weight[node] : T(1);
      tile.target_weight[i] = graphs.target_weight != nullptr ? graphs.target_weight[node] : T(1);
    }
  }
  for (int e = team.rank; e < place.edges; e += team.size) {
    tile.in.neighbours[e] = int(graphs.in_sources[place.first_edge + e] - place.first_node);
    tile.out.neighbours[e] = int(graphs.out_targets[place.first_edge + e] - place.first_node);
  }
  return tile;
}

/// Copies rows of `width` from device memory, `stride` apart in the tile; with_one: a last column of ones.
template <class T>
__device__ __forceinline__ void load_rows(Team team, const T* from, std::int64_t first_row, int rows, int width,
                                          bool with_one, T* to) {
  const int stride = width + (with_one ? 1 : 0);
  const T* first = from + first_row * width;
  // A division per value costs as much as the copy: consecutive values go to consecutive threads, and the place is
  // carried along.
  int row = team.rank / width, column = team.rank - row * width;
  const int row_step = team.size / width, column_step = team.size - row_step * width;
#pragma unroll 4
  for (int i = team.rank; i < rows * width; i += team.size) {
    to[row * stride + column] = first[i];
    row += row_step;
    column += column_step;
    if (column >= width) {
      column -= width;
      ++row;
    }
  }
  if (with_one) {
    for (int r = team.rank; r < rows; r += team.size) {
      to[r * stride + width] = T(1);
    }
  }
}

/// Copies [weight | bias] into rows of in + 1.
template <class T>
__device__ __forceinline__ void load_map(Team team, const T* weight, const T* bias, int in, int out, T* to) {
  for (int i = team.rank; i < in * out; i += team.size) {
    const int row = i / in;
    to[i + row] = weight[i];
  }
  for (int r = team.rank; r < out; r += team.size) {
    to[r * (in + 1) + in] = bias[r];
  }
}

template <class T, int kLanes>
__device__ __forceinline__ T sum_lanes(T value) {
  if constexpr (kLanes > 1) {
#pragma unroll
    for (int step = kLanes / 2; step > 0; step /= 2) {
      value += __shfl_xor_sync(~0u, value, step, 32);
    }
  }
  return value;
}

/// For each (row, factor), over the row's edges with c their gates and w the neighbours' weights:
///   put(row, factor, column, sum of c w x)                           for column < sum_width
///   put_dot(row, factor, sum over columns of own * (sum of c (1 - c) w x))   over dot_width columns
/// where x = value(neighbour, factor, column) and own = own_value(row, factor, column). kLanes threads share a row's
/// factor, each with every kLanes-th column, kColumns at a time.
template <class T, int kLanes, int kColumns, class Value, class Own, class Put, class PutDot>
__device__ __forceinline__ void gather(Team team, const TileEdges& edges, int rows, int factors, const T* own_gate,
                                       const T* their_gate, const T* their_weight, T gate_scale, int sum_width,
                                       int dot_width, Value value, Own own_value, Put put, PutDot put_dot) {
  const int groups = team.size / kLanes, group = team.rank / kLanes, lane = team.rank % kLanes;
  const int width = sum_width > dot_width ? sum_width : dot_width, gate_stride = 2 * factors;
  for (int first = 0; first < rows * factors; first += groups) {
    const int item = first + group;
    const bool working = item < rows * factors;
    const int row = working ? item / factors : 0, factor = working ? item - row * factors : 0;
    T dot = 0;
    if (working) {
      const int begin = edges.offsets[row], end = edges.offsets[row + 1];
      const T own = own_gate[row * gate_stride + factor];
      for (int c0 = 0; c0 < width; c0 += kLanes * kColumns) {
        T gated[kColumns] = {}, sloped[kColumns] = {};
        for (int e = begin; e < end; ++e) {
          const int n = edges.neighbours[e];
          const T gate = sigmoid((own + their_gate[n * gate_stride + factor]) * gate_scale);
          const T with_weight = gate * their_weight[n], slope = with_weight * (1 - gate);
#pragma unroll
          for (int v = 0; v < kColumns; ++v) {
            const int column = c0 + v * kLanes + lane;
            if (column < width) {
              const T x = value(n, factor, column);
              gated[v] += with_weight * x;
              sloped[v] += slope * x;
            }
          }
        }
#pragma unroll
        for (int v = 0; v < kColumns; ++v) {
          const int column = c0 + v * kLanes + lane;
          if (column < sum_width) {
            put(row, factor, column, gated[v]);
          }
          if (column < dot_width) {
            dot += own_value(row, factor, column) * sloped[v];
          }
        }
      }
    }
    if (dot_width > 0) {
      dot = sum_lanes<T, kLanes>(dot);
      if (working && lane == 0) {
        put_dot(row, factor, dot);
      }
    }
  }
}

}  // namespace factorgcn::cuda
