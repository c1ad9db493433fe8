// One graph through a disentangle layer, forward and backward, by one block; see graph_tile.h.
#pragma once

#include "ops/cuda/graph_tile.cuh"

namespace factorgcn::cuda {

/// Values per node of the forward pass: x with a one, h with a one, gates, two weights.
__host__ __device__ inline int layer_forward_row(int in, int width, int factors) {
  return in + 1 + width + 1 + 2 * factors + 2;
}
__host__ __device__ inline int layer_fixed(int in, int width, int factors) {
  return width * (in + 1) + 2 * factors * (width + 1);
}

/// Values per node of the backward pass: the gradient of the output (later x with a one), what each factor sends to h,
/// h with a one, gates and their gradients, the gradient of h, two weights.
__host__ __device__ inline int layer_backward_row(int in, int width, int factors) {
  const int first = factors * width > in + 1 ? factors * width : in + 1;
  return first + factors * width + width + 1 + 4 * factors + width + 2;
}

/// `fixed`: [W | b] and [U | a].
template <class T, int kLanes>
__device__ __forceinline__ void layer_forward_graph(Team team, const LayerTiles<T>& p, const GraphPlace& place,
                                                    const T* fixed, TileMemory<T> memory) {
  const int in = p.in, width = p.width, factors = p.graphs.factors, rows = place.rows;
  const T *map = fixed, *gate_map = fixed + width * (in + 1);
  const GraphTile<T> tile = load_graph(team, p.graphs, place, memory);
  T* x = memory.take(rows * (in + 1));
  T* h = memory.take(rows * (width + 1));
  load_rows(team, p.x, place.first_node, rows, in, true, x);
  for (int r = team.rank; r < rows; r += team.size) {
    h[r * (width + 1) + width] = T(1);
  }
  __syncthreads();
  const auto zero = [](int, int) { return T(0); };
  tile_product<T>(
      team, rows, width, in + 1, [=](int r, int k) { return x[r * (in + 1) + k]; },
      [=](int k, int c) { return map[c * (in + 1) + k]; }, zero,
      [=](int r, int c, T value) {
        h[r * (width + 1) + c] = value;
        p.hidden[(place.first_node + r) * width + c] = value;
      });
  __syncthreads();
  tile_product<T>(
      team, rows, 2 * factors, width + 1, [=](int r, int k) { return h[r * (width + 1) + k]; },
      [=](int k, int c) { return gate_map[c * (width + 1) + k]; }, zero,
      [=](int r, int c, T value) {
        tile.left[r * 2 * factors + c] = value;
        p.gates[(place.first_node + r) * 2 * factors + c] = value;
      });
  __syncthreads();
  gather<T, kLanes, 3>(
      team, tile.in, rows, factors, tile.right, tile.left, tile.source_weight, p.graphs.gate_scale, width, 0,
      [=](int n, int, int c) { return h[n * (width + 1) + c]; }, [](int, int, int) { return T(0); },
      [=](int r, int k, int c, T sum) {
        p.out[((place.first_node + r) * factors + k) * width + c] = sum * tile.target_weight[r];
      },
      [](int, int, T) {});
}

/// `fixed` as above; `partials`: this block's sums, [W | b] and [U | a], which start anew where `first`.
template <class T, int kLanes>
__device__ __forceinline__ void layer_backward_graph(Team team, const LayerTiles<T>& p, const GraphPlace& place,
                                                     const T* fixed, TileMemory<T> memory, T* partials, bool first) {
  const int in = p.in, width = p.width, factors = p.graphs.factors, rows = place.rows, columns = factors * width;
  const std::int64_t first_node = place.first_node;
  const T *map = fixed, *gate_map = fixed + width * (in + 1);
  const GraphTile<T> tile = load_graph(team, p.graphs, place, memory);
  T* grad = memory.take(rows * (columns > in + 1 ? columns : in + 1));
  T* parts = memory.take(rows * columns);
  T* h = memory.take(rows * (width + 1));
  T* grad_gates = memory.take(rows * 2 * factors);
  T* grad_h = memory.take(rows * width);
  load_rows(team, p.grad_out, first_node, rows, columns, false, grad);
  load_rows(team, static_cast<const T*>(p.hidden), first_node, rows, width, true, h);
  load_rows(team, static_cast<const T*>(p.gates), first_node, rows, 2 * factors, false, tile.left);
  __syncthreads();
  const T scale = p.graphs.gate_scale;
  const T other = p.other_scale != nullptr ? *p.other_scale : T(0);
  const auto grad_at = [=](int n, int k, int c) { return grad[n * columns + k * width + c]; };
  const auto h_at = [=](int n, int, int c) { return h[n * (width + 1) + c]; };
  const auto with_other = [=](int r, int gate, T value) {
    const T more = other != T(0) ? other * p.other_gates[(first_node + r) * 2 * factors + gate] : T(0);
    grad_gates[r * 2 * factors + gate] = value + more;
  };
  gather<T, kLanes, 3>(
      team, tile.out, rows, factors, tile.left, tile.right, tile.target_weight, scale, width, width, grad_at, h_at,
      [=](int r, int k, int c, T sum) { parts[r * columns + k * width + c] = sum * tile.source_weight[r]; },
      [=](int r, int k, T dot) { with_other(r, k, dot * tile.source_weight[r] * scale); });
  gather<T, kLanes, 3>(
      team, tile.in, rows, factors, tile.right, tile.left, tile.source_weight, scale, 0, width, h_at, grad_at,
      [](int, int, int, T) {},
      [=](int r, int k, T dot) { with_other(r, factors + k, dot * tile.target_weight[r] * scale); });
  __syncthreads();
  // The gradient of the output has served: x takes its place.
  T* x = grad;
  load_rows(team, p.x, first_node, rows, in, true, x);
  for (int i = team.rank; i < rows * width; i += team.size) {
    const int r = i / width, c = i - r * width;
    T sum = other != T(0) ? other * p.other_hidden[first_node * width + i] : T(0);
    for (int k = 0; k < factors; ++k) {
      sum += parts[r * columns + k * width + c];
    }
    for (int g = 0; g < 2 * factors; ++g) {
      sum += grad_gates[r * 2 * factors + g] * gate_map[g * (width + 1) + c];
    }
    grad_h[i] = sum;
  }
  T* gate_partials = partials + std::int64_t(width) * (in + 1);
  tile_product<T>(
      team, 2 * factors, width + 1, rows, [=](int g, int r) { return grad_gates[r * 2 * factors + g]; },
      [=](int r, int c) { return h[r * (width + 1) + c]; },
      [=](int g, int c) { return first ? T(0) : gate_partials[g * (width + 1) + c]; },
      [=](int g, int c, T value) { gate_partials[g * (width + 1) + c] = value; });
  __syncthreads();
  tile_product<T>(
      team, width, in + 1, rows, [=](int o, int r) { return grad_h[r * width + o]; },
      [=](int r, int c) { return x[r * (in + 1) + c]; },
      [=](int o, int c) { return first ? T(0) : partials[o * (in + 1) + c]; },
      [=](int o, int c, T value) { partials[o * (in + 1) + c] = value; });
  if (p.grad_x != nullptr) {
    tile_product<T>(
        team, rows, in, width, [=](int r, int o) { return grad_h[r * width + o]; },
        [=](int o, int c) { return map[o * (in + 1) + c]; }, [](int, int) { return T(0); },
        [=](int r, int c, T value) { p.grad_x[(first_node + r) * in + c] = value; }, 4);
  }
}

}  // namespace factorgcn::cuda
