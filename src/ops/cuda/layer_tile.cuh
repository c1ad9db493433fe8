// One graph through a disentangle layer, forward and backward, by one block; see graph_tile.h.
#pragma once

#include "ops/cuda/graph_tile.cuh"

namespace factorgcn::cuda {

/// Values per node of the forward pass: x with a one, h with a one, gates, two weights.
__host__ __device__ inline int layer_forward_row(int in, int width, int factors) {
  return in + 1 + width + 1 + 2 * factors + 2;
}
/// Per block: [W | b] and [U | a].
__host__ __device__ inline int layer_fixed(int in, int width, int factors) {
  return width * (in + 1) + 2 * factors * (width + 1);
}

/// Values per node of the backward pass: the gradient of the output (later x with a one), what each factor sends to h,
/// h with a one, gates and their gradients, the gradient of h, two weights.
__host__ __device__ inline int layer_backward_row(int in, int width, int factors) {
  const int first = factors * width > in + 1 ? factors * width : in + 1;
  return first + factors * width + width + 1 + 4 * factors + width + 2;
}

/// Values per edge of the forward and the backward pass: gates in one or both orders.
__host__ __device__ inline int layer_forward_edge(int factors) { return factors; }
__host__ __device__ inline int layer_backward_edge(int factors) { return 2 * factors; }

template <class T, int kIn, int kWidth, int kFactors, bool kShared, bool kAlone>
__device__ __forceinline__ void layer_forward_graph(Team team, const LayerTiles<T>& p, const GraphPlace& place,
                                                    const T* fixed, TileMemory<T> memory) {
  using W = Widths<kIn, kWidth, kFactors>;
  const W w{p.in, p.width, p.graphs.factors};
  const int in = w.in(), width = w.width(), factors = w.factors(), rows = place.rows;
  const T *map = fixed, *gate_map = fixed + width * (in + 1);
  GraphTile<T> tile = load_graph<T, kShared>(team, p.graphs, place, factors, memory);
  T* x = memory.take(memory.rows * (in + 1));
  T* h = memory.take(memory.rows * (width + 1));
  tile.in.gates = memory.take(memory.edges * factors);
  load_rows<T, kIn, true, kShared>(team, p.x, place.first_node, rows, in, x);
  for (int r = team.rank; r < rows; r += team.size) {
    h[r * (width + 1) + width] = T(1);
  }
  finish_copies<kShared>();
  __syncthreads();
  const auto zero = [](int, int) { return T(0); };
  tile_product<T, column_blocks(kWidth, 4), kWidth, W::plus_one(kIn)>(
      team, rows, width, in + 1, [=](int r, int k) { return x[r * (in + 1) + k]; },
      [=](int k, int c) { return map[c * (in + 1) + k]; }, zero,
      [=](int r, int c, T value) {
        h[r * (width + 1) + c] = value;
        p.hidden[(place.first_node + r) * width + c] = value;
      });
  __syncthreads();
  tile_product<T, 1, 2 * kFactors, W::plus_one(kWidth)>(
      team, rows, 2 * factors, width + 1, [=](int r, int k) { return h[r * (width + 1) + k]; },
      [=](int k, int c) { return gate_map[c * (width + 1) + k]; }, zero,
      [=](int r, int c, T value) {
        tile.left[r * 2 * factors + c] = value;
        p.gates[(place.first_node + r) * 2 * factors + c] = value;
      });
  __syncthreads();
  compute_gates(team, tile.in, rows, factors, tile.right, tile.left, p.graphs.gate_scale);
  __syncthreads();
  gather<T, kWidth, true, false, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, width, 0,
      [=](int n, int, int c) { return h[n * (width + 1) + c]; }, [](int, int, int) { return T(0); },
      [=](int r, int k, int c, T sum) {
        p.out[((place.first_node + r) * factors + k) * width + c] = sum * tile.target_weight[r];
      },
      [](int, int, T) {});
}

/// `partials`: this block's sums, [W | b] and [U | a], which start anew where `first`.
template <class T, int kIn, int kWidth, int kFactors, bool kShared, bool kAlone>
__device__ __forceinline__ void layer_backward_graph(Team team, const LayerTiles<T>& p, const GraphPlace& place,
                                                     const T* fixed, TileMemory<T> memory, T* partials, bool first) {
  using W = Widths<kIn, kWidth, kFactors>;
  const W w{p.in, p.width, p.graphs.factors};
  const int in = w.in(), width = w.width(), factors = w.factors(), rows = place.rows, columns = factors * width;
  const std::int64_t first_node = place.first_node;
  const T *map = fixed, *gate_map = fixed + width * (in + 1);
  GraphTile<T> tile = load_graph<T, kShared>(team, p.graphs, place, factors, memory);
  T* grad = memory.take(memory.rows * (columns > in + 1 ? columns : in + 1));
  T* parts = memory.take(memory.rows * columns);
  T* h = memory.take(memory.rows * (width + 1));
  T* grad_gates = memory.take(memory.rows * 2 * factors);
  T* grad_h = memory.take(memory.rows * width);
  tile.in.gates = memory.take(memory.edges * factors);
  tile.out.gates = memory.take(memory.edges * factors);
  load_rows<T, 2 * kFactors, false, kShared>(team, p.gates, first_node, rows, 2 * factors, tile.left);
  load_rows<T, kWidth, true, kShared>(team, p.hidden, first_node, rows, width, h);
  load_rows<T, kFactors * kWidth, false, kShared>(team, p.grad_out, first_node, rows, columns, grad);
  // What the discriminator sends back waits where the sums will be.
  const bool judged = p.other_scale != nullptr;
  if (judged) {
    load_rows<T, 2 * kFactors, false, kShared>(team, p.other_gates, first_node, rows, 2 * factors, grad_gates);
    load_rows<T, kWidth, false, kShared>(team, p.other_hidden, first_node, rows, width, grad_h);
  }
  const T scale = p.graphs.gate_scale, other = judged ? *p.other_scale : T(0);
  const Gate<T> gate_of(scale);
  finish_copies<kShared>();
  __syncthreads();
  compute_gates(team, tile.in, rows, factors, tile.right, tile.left, scale);
  compute_gates(team, tile.out, rows, factors, tile.left, tile.right, scale);
  __syncthreads();
  const auto grad_at = [=](int n, int k, int c) { return grad[n * columns + k * width + c]; };
  const auto h_at = [=](int n, int, int c) { return h[n * (width + 1) + c]; };
  const auto with_other = [=](int r, int gate, T value) {
    T& sum = grad_gates[r * 2 * factors + gate];
    sum = judged ? value + other * sum : value;
  };
  gather<T, kWidth, true, true, kAlone>(
      team, tile.out, rows, factors, tile.target_weight, width, width, grad_at, h_at,
      [=](int r, int k, int c, T sum) { parts[r * columns + k * width + c] = sum * tile.source_weight[r]; },
      [=](int r, int k, T dot) { with_other(r, k, gate_of.scaled(dot * tile.source_weight[r])); });
  gather<T, kWidth, false, true, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, 0, width, h_at, grad_at, [](int, int, int, T) {},
      [=](int r, int k, T dot) { with_other(r, factors + k, gate_of.scaled(dot * tile.target_weight[r])); });
  __syncthreads();
  // The gradient of the output has served: x takes its place.
  T* x = grad;
  load_rows<T, kIn, true, kShared>(team, p.x, first_node, rows, in, x);
  for (int i = team.rank; i < rows * width; i += team.size) {
    const int r = i / width, c = i - r * width;
    T sum = judged ? other * grad_h[i] : T(0);
#pragma unroll
    for (int k = 0; k < factors; ++k) {
      sum += parts[r * columns + k * width + c];
    }
#pragma unroll
    for (int g = 0; g < 2 * factors; ++g) {
      sum += grad_gates[r * 2 * factors + g] * gate_map[g * (width + 1) + c];
    }
    grad_h[i] = sum;
  }
  T* gate_partials = partials + width * (in + 1);
  tile_product<T, 1, W::plus_one(kWidth), 0>(
      team, 2 * factors, width + 1, rows, [=](int g, int r) { return grad_gates[r * 2 * factors + g]; },
      [=](int r, int c) { return h[r * (width + 1) + c]; },
      [=](int g, int c) { return first ? T(0) : gate_partials[g * (width + 1) + c]; },
      [=](int g, int c, T value) { gate_partials[g * (width + 1) + c] = value; });
  finish_copies<kShared>();
  __syncthreads();
  tile_product<T, column_blocks(W::plus_one(kIn), kFactors == 2 ? 4 : 7), W::plus_one(kIn), 0>(
      team, width, in + 1, rows, [=](int o, int r) { return grad_h[r * width + o]; },
      [=](int r, int c) { return x[r * (in + 1) + c]; },
      [=](int o, int c) { return first ? T(0) : partials[o * (in + 1) + c]; },
      [=](int o, int c, T value) { partials[o * (in + 1) + c] = value; });
  if (p.grad_x != nullptr) {
    tile_product<T, column_blocks(kIn, kFactors == 2 ? 4 : 7), kIn, kWidth>(
        team, rows, in, width, [=](int r, int o) { return grad_h[r * width + o]; },
        [=](int o, int c) { return map[o * (in + 1) + c]; }, [](int, int) { return T(0); },
        [=](int r, int c, T value) { p.grad_x[(first_node + r) * in + c] = value; }, 4);
  }
}

}  // namespace factorgcn::cuda
