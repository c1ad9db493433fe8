// One small graph held by one block: its edges with local node numbers, its gates, and gated sums over its edges.
//
// A tile lies in shared memory; a graph that is too large for it takes the same path through a scratch in device
// memory.
#pragma once

#include "ops/cuda/device_math.cuh"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/tile_product.cuh"

namespace factorgcn::cuda {

/// A layer's widths; those that are known when compiling (not 0) turn into constants.
template <int kIn, int kWidth, int kFactors>
struct Widths {
  int in_given, width_given, factors_given;

  static constexpr int kNarrow = kWidth == 0 ? 0 : (kWidth / 2 > 1 ? kWidth / 2 : 1);
  __host__ __device__ static constexpr int plus_one(int width) { return width == 0 ? 0 : width + 1; }

  __device__ __forceinline__ int in() const { return kIn > 0 ? kIn : in_given; }
  __device__ __forceinline__ int width() const { return kWidth > 0 ? kWidth : width_given; }
  __device__ __forceinline__ int factors() const { return kFactors > 0 ? kFactors : factors_given; }
  __device__ __forceinline__ int narrow() const {
    return kWidth > 0 ? kNarrow : (width_given > 3 ? width_given / 2 : 1);
  }
};

/// Edges of one direction, node numbers counted from the graph's first node.
template <class T>
struct TileEdges {
  int* offsets;     // [rows + 1]
  int* neighbours;  // [edges]
  T* gates;         // [edges, factors], once compute_gates has been called
};

/// What every kernel on tiles keeps of its graph.
template <class T>
struct GraphTile {
  std::int64_t first_node;
  int rows, edges;
  TileEdges<T> in, out;
  T *left, *right;  // [rows, factors]: of a row's gates, rows 2 * factors apart
  T *source_weight, *target_weight;
};

/// Hands out pieces of a tile's memory, which has room for so many rows and edges. In shared memory these are the same
/// for all graphs, and so are the pieces' places: the compiler keeps them out of the threads' own registers.
template <class T>
struct TileMemory {
  T* values;
  int* numbers;
  int rows, edges;
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

struct NodeRange {
  std::int64_t first, last;
};

/// Empty past the last graph.
template <class T>
__device__ __forceinline__ NodeRange nodes_of_graph(const TileGraphs<T>& graphs, std::int64_t graph) {
  if (graph >= graphs.graphs) {
    return {0, 0};
  }
  return {graphs.graph_offsets[graph], graphs.graph_offsets[graph + 1]};
}

template <class T>
__device__ __forceinline__ GraphPlace place_of_nodes(const TileGraphs<T>& graphs, const NodeRange& nodes) {
  const std::int64_t first_edge = graphs.in_offsets[nodes.first];
  return {nodes.first, first_edge, int(nodes.last - nodes.first), int(graphs.in_offsets[nodes.last] - first_edge)};
}

/// Asks for rows to be brought to the second-level cache.
template <class T>
__device__ __forceinline__ void prefetch_rows(Team team, const T* from, const NodeRange& nodes, int width) {
  constexpr int kLine = 128 / sizeof(T);
  const std::int64_t values = (nodes.last - nodes.first) * width;
  for (std::int64_t i = std::int64_t(team.rank) * kLine; i < values; i += std::int64_t(team.size) * kLine) {
    prefetch_line(from + nodes.first * width + i);
  }
}

/// Starts copying one value; where the tile is shared memory, nobody waits for it before finish_copies().
template <class T, bool kShared>
__device__ __forceinline__ void copy_value(T* to, const T* from) {
  if constexpr (kShared) {
    start_copy(to, from);
  } else {
    *to = *from;
  }
}

/// To be called by all threads before the barrier that others rely on.
template <bool kShared>
__device__ __forceinline__ void finish_copies() {
  if constexpr (kShared) {
    wait_for_copies();
  }
}

/// Copies edges and weights and makes room for the nodes' gates; a barrier must follow. Node numbers of both directions
/// start at the same edge, since no edge leaves its graph.
template <class T, bool kShared>
__device__ __forceinline__ GraphTile<T> load_graph(Team team, const TileGraphs<T>& graphs, const GraphPlace& place,
                                                   int factors, TileMemory<T>& memory) {
  GraphTile<T> tile;
  tile.first_node = place.first_node;
  tile.rows = place.rows;
  tile.edges = place.edges;
  tile.in = {memory.take_numbers(memory.rows + 1), memory.take_numbers(memory.edges), nullptr};
  tile.out = {memory.take_numbers(memory.rows + 1), memory.take_numbers(memory.edges), nullptr};
  tile.left = memory.take(memory.rows * 2 * factors);
  tile.right = tile.left + factors;
  tile.source_weight = memory.take(memory.rows);
  tile.target_weight = memory.take(memory.rows);
  // All four lists at once, so that their answers are waited for together.
  const int longest = place.rows + 1 > place.edges ? place.rows + 1 : place.edges;
  for (int i = team.rank; i < longest; i += team.size) {
    const int row = i <= place.rows ? i : place.rows, edge = i < place.edges ? i : 0;
    const std::int64_t in = graphs.in_offsets[place.first_node + row], out = graphs.out_offsets[place.first_node + row];
    const std::int32_t source = place.edges > 0 ? graphs.in_sources[place.first_edge + edge] : 0,
                       target = place.edges > 0 ? graphs.out_targets[place.first_edge + edge] : 0;
    if (i <= place.rows) {
      tile.in.offsets[i] = int(in - place.first_edge);
      tile.out.offsets[i] = int(out - place.first_edge);
    }
    if (i < place.edges) {
      tile.in.neighbours[i] = int(source - place.first_node);
      tile.out.neighbours[i] = int(target - place.first_node);
    }
    if (i < place.rows) {
      if (graphs.source_weight != nullptr) {
        copy_value<T, kShared>(tile.source_weight + i, graphs.source_weight + place.first_node + i);
      } else {
        tile.source_weight[i] = T(1);
      }
      if (graphs.target_weight != nullptr) {
        copy_value<T, kShared>(tile.target_weight + i, graphs.target_weight + place.first_node + i);
      } else {
        tile.target_weight[i] = T(1);
      }
    }
  }
  return tile;
}

/// Starts copying rows of `width` from device memory; kWithOne: each is followed by a one. kWidth: the width where it
/// is known when compiling, else 0.
template <class T, int kWidth, bool kWithOne, bool kShared>
__device__ __forceinline__ void load_rows(Team team, const T* from, std::int64_t first_row, int rows, int width_given,
                                          T* to) {
  const int width = kWidth > 0 ? kWidth : width_given, stride = width + (kWithOne ? 1 : 0);
  const T* first = from + first_row * width;
#pragma unroll 4
  for (int i = team.rank; i < rows * width; i += team.size) {
    copy_value<T, kShared>(to + i + (kWithOne ? i / width : 0), first + i);
  }
  if (kWithOne) {
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

/// The gates of a direction's edges; a barrier must come before and after.
template <class T>
__device__ __forceinline__ void compute_gates(Team team, const TileEdges<T>& edges, int rows, int factors,
                                              const T* own_gate, const T* their_gate, T gate_scale) {
  const Gate<T> gate_of(gate_scale);
  for (int item = team.rank; item < rows * factors; item += team.size) {
    const int row = item / factors, factor = item - row * factors;
    const T own = own_gate[row * 2 * factors + factor];
    for (int e = edges.offsets[row]; e < edges.offsets[row + 1]; ++e) {
      edges.gates[e * factors + factor] = gate_of(own + their_gate[edges.neighbours[e] * 2 * factors + factor]);
    }
  }
}

/// How many threads share a row's columns, a power of two, and how many columns each then has.
template <int kWidth, bool kAlone>
struct Sharing {
  __host__ __device__ static constexpr int lanes() {
    if (kAlone) {
      return 1;
    }
    int count = 1;
    while (count * 12 < kWidth) {
      count *= 2;
    }
    return kWidth == 0 ? 4 : count;
  }
  static constexpr int kLanes = lanes();
  static constexpr int kColumns = kWidth == 0 ? 4 : (kWidth + kLanes - 1) / kLanes;
};

/// For each (row, factor), over the row's edges with c their gates, c' the gates' slopes and w the neighbours' weights:
///   put(row, factor, column, sum of c w x)                            for column < sum_width
///   put_dot(row, factor, sum over columns of own * (sum of c' w x))   over dot_width columns
/// where x = value(neighbour, factor, column) and own = own_value(row, factor, column). kWidth: the larger of the two
/// widths where it is known when compiling, else 0. kAlone: no thread shares its row with others.
template <class T, int kWidth, bool kSums, bool kDots, bool kAlone, class Value, class Own, class Put, class PutDot>
__device__ __forceinline__ void gather(Team team, const TileEdges<T>& edges, int rows, int factors,
                                       const T* their_weight, int sum_width, int dot_width, Value value, Own own_value,
                                       Put put, PutDot put_dot) {
  constexpr int kLanes = Sharing<kWidth, kAlone>::kLanes, kColumns = Sharing<kWidth, kAlone>::kColumns;
  const int groups = team.size / kLanes, group = team.rank / kLanes, lane = team.rank % kLanes;
  const int width = kWidth > 0 ? kWidth : (sum_width > dot_width ? sum_width : dot_width);
  for (int first = 0; first < rows * factors; first += groups) {
    const int item = first + group;
    const bool working = item < rows * factors;
    const int row = working ? item / factors : 0, factor = working ? item - row * factors : 0;
    T dot = 0;
    if (working) {
      const int begin = edges.offsets[row], end = edges.offsets[row + 1];
      for (int c0 = lane * kColumns; c0 < width; c0 += kLanes * kColumns) {
        T gated[kColumns] = {}, sloped[kColumns] = {};
        for (int e = begin; e < end; ++e) {
          const int n = edges.neighbours[e];
          const auto gate = Gate<T>::weighted(edges.gates[e * factors + factor], their_weight[n]);
#pragma unroll
          for (int v = 0; v < kColumns; ++v) {
            if ((kWidth > 0 && kLanes * kColumns == kWidth) || c0 + v < width) {
              const T x = value(n, factor, c0 + v);
              if constexpr (kSums) {
                gated[v] += gate.value * x;
              }
              if constexpr (kDots) {
                sloped[v] += gate.slope * x;
              }
            }
          }
        }
#pragma unroll
        for (int v = 0; v < kColumns; ++v) {
          if (kSums && c0 + v < sum_width) {
            put(row, factor, c0 + v, gated[v]);
          }
          if (kDots && c0 + v < dot_width) {
            dot += own_value(row, factor, c0 + v) * sloped[v];
          }
        }
      }
    }
    if constexpr (kDots) {
      dot = sum_lanes<T, kLanes>(dot);
      if (working && lane == 0) {
        put_dot(row, factor, dot);
      }
    }
  }
}

}  // namespace factorgcn::cuda
