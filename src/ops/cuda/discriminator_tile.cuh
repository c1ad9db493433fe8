// One graph through the discriminator and back, by one block; see graph_tile.h and ops/discriminator_weights.h.
//
// Biases ride along: a column of ones behind h and behind p1 makes the gate sum g the last column of A_k(p1), so that
// [L2w | L2b] applies to it, and the gradients of weights, biases and g come out of the same products.
#pragma once

#include "ops/cuda/graph_tile.cuh"

namespace factorgcn::cuda {

/// Values per node: h and a one, q = L1 h, p1 / A_k(p1) / its gradient, each with one more column, p2, gates and their
/// gradients, two weights.
__host__ __device__ inline int discriminator_row(int width, int narrow, int factors) {
  return width + 1 + narrow + 3 * factors * (narrow + 1) + factors * width + 4 * factors + 2;
}
/// Per block: the three maps, then r with ones, its gradient, class scores and losses.
__host__ __device__ inline int discriminator_maps(int width, int narrow, int factors) {
  return narrow * (width + 1) + width * (narrow + 1) + factors * (width + 1);
}
__host__ __device__ inline int discriminator_fixed(int width, int narrow, int factors) {
  return discriminator_maps(width, narrow, factors) + factors * (width + 1) + factors * width + factors * factors +
         factors;
}

/// Values per edge: gates in both orders.
__host__ __device__ inline int discriminator_edge(int factors) { return 2 * factors; }

template <class T, int kWidth, int kFactors, bool kShared, bool kAlone>
__device__ __forceinline__ void discriminate_graph(Team team, const DiscriminatorTiles<T>& p, const GraphPlace& place,
                                                   std::int64_t graph, T* fixed, TileMemory<T> memory, T* partials,
                                                   bool first) {
  using W = Widths<0, kWidth, kFactors>;
  constexpr int kNarrow = W::kNarrow, kWide = W::plus_one(kNarrow);
  const W w{0, p.width, p.graphs.factors};
  const int width = w.width(), narrow = w.narrow(), factors = w.factors(), rows = place.rows;
  const int wide = narrow + 1;  // columns of p1 with its one
  const std::int64_t first_node = place.first_node;
  const T *first_map = fixed, *second_map = first_map + narrow * (width + 1), *class_map = second_map + width * wide;
  T* r_values = fixed + discriminator_maps(width, narrow, factors);
  T* r_grad = r_values + factors * (width + 1);
  T* scores = r_grad + factors * width;
  T* losses = scores + factors * factors;
  GraphTile<T> tile = load_graph<T, kShared>(team, p.graphs, place, factors, memory);
  T* h = memory.take(memory.rows * (width + 1));
  T* q = memory.take(memory.rows * narrow);
  T* p1 = memory.take(memory.rows * factors * wide);
  T* sums = memory.take(memory.rows * factors * wide);
  T* grad_sums = memory.take(memory.rows * factors * wide);
  T* p2 = memory.take(memory.rows * factors * width);
  T* grad_gates = memory.take(memory.rows * 2 * factors);
  tile.in.gates = memory.take(memory.edges * factors);
  tile.out.gates = memory.take(memory.edges * factors);
  load_rows<T, kWidth, true, kShared>(team, p.hidden, first_node, rows, width, h);
  load_rows<T, 2 * kFactors, false, kShared>(team, p.gates, first_node, rows, 2 * factors, tile.left);
  finish_copies<kShared>();
  __syncthreads();

  const T scale = p.graphs.gate_scale;
  const Gate<T> gate_of(scale);
  compute_gates(team, tile.in, rows, factors, tile.right, tile.left, scale);
  compute_gates(team, tile.out, rows, factors, tile.left, tile.right, scale);
  const auto zero = [](int, int) { return T(0); };
  const auto nothing = [](int, int, int, T) {};
  const auto no_dot = [](int, int, T) {};
  const auto no_own = [](int, int, int) { return T(0); };
  tile_product<T, column_blocks(kNarrow, 4), kNarrow, W::plus_one(kWidth)>(
      team, rows, narrow, width + 1, [=](int r, int k) { return h[r * (width + 1) + k]; },
      [=](int k, int c) { return first_map[c * (width + 1) + k]; }, zero,
      [=](int r, int c, T value) { q[r * narrow + c] = value; });
  __syncthreads();
  const auto at = [=](const T* table, int n, int k, int c) { return table[(n * factors + k) * wide + c]; };
  gather<T, kNarrow, true, false, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, narrow, 0, [=](int n, int, int c) { return q[n * narrow + c]; },
      no_own,
      [=](int r, int k, int c, T sum) { p1[(r * factors + k) * wide + c] = quick_tanh(sum * tile.target_weight[r]); },
      no_dot);
  for (int i = team.rank; i < rows * factors; i += team.size) {
    p1[i * wide + narrow] = T(1);
  }
  __syncthreads();
  gather<T, kWide, true, false, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, wide, 0, [=](int n, int k, int c) { return at(p1, n, k, c); },
      no_own, [=](int r, int k, int c, T sum) { sums[(r * factors + k) * wide + c] = sum * tile.target_weight[r]; },
      no_dot);
  __syncthreads();
  tile_product<T, column_blocks(kWidth, kFactors == 2 ? 2 : 1), kWidth, kWide>(
      team, rows * factors, width, wide, [=](int row, int k) { return sums[row * wide + k]; },
      [=](int k, int c) { return second_map[c * wide + k]; }, zero,
      [=](int row, int c, T value) { p2[row * width + c] = quick_tanh(value); });
  __syncthreads();

  // r = tanh(mean of p2), its class scores, the loss and what it sends back.
  const T share = rows > 0 ? T(1) / T(rows) : T(0);
  for (int i = team.rank; i < factors * width; i += team.size) {
    T sum = 0;
#pragma unroll 4
    for (int r = 0; r < rows; ++r) {
      sum += p2[r * factors * width + i];
    }
    const int k = i / width;
    r_values[i + k] = quick_tanh(sum * share);
  }
  for (int k = team.rank; k < factors; k += team.size) {
    r_values[k * (width + 1) + width] = T(1);
  }
  __syncthreads();
  for (int i = team.rank; i < factors * factors; i += team.size) {
    const int k = i / factors, label = i - k * factors;
    T sum = 0;
#pragma unroll 4
    for (int c = 0; c <= width; ++c) {
      sum += r_values[k * (width + 1) + c] * class_map[label * (width + 1) + c];
    }
    scores[i] = sum;
  }
  __syncthreads();
  const std::int64_t real = p.graphs.real_graphs != nullptr ? *p.graphs.real_graphs : p.graphs.graphs;
  const double part = graph < real ? 1.0 / (double(real) * factors) : 0.0;
  for (int k = team.rank; k < factors; k += team.size) {
    T* mine = scores + k * factors;
    const T own = mine[k];
    T largest = mine[0];
    for (int l = 1; l < factors; ++l) {
      largest = mine[l] > largest ? mine[l] : largest;
    }
    T total = 0;
    for (int l = 0; l < factors; ++l) {
      mine[l] = exp(mine[l] - largest);
      total += mine[l];
    }
    losses[k] = log(total) + (largest - own);
    const T times = T(part) / total;
    for (int l = 0; l < factors; ++l) {
      mine[l] = mine[l] * times - (l == k ? T(part) : T(0));
    }
  }
  __syncthreads();
  if (team.rank == 0) {
    double loss = 0;
    for (int k = 0; k < factors; ++k) {
      loss += double(losses[k]);
    }
    p.losses[graph] = loss * part;
  }
  for (int i = team.rank; i < factors * width; i += team.size) {
    const int k = i / width, c = i - k * width;
    T sum = 0;
    for (int l = 0; l < factors; ++l) {
      sum += scores[k * factors + l] * class_map[l * (width + 1) + c];
    }
    const T r = r_values[k * (width + 1) + c];
    r_grad[i] = sum * (1 - r * r) * share;
  }
  T* second_partials = partials + narrow * (width + 1);
  T* class_partials = second_partials + width * wide;
  for (int i = team.rank; i < factors * (width + 1); i += team.size) {
    const int l = i / (width + 1), c = i - l * (width + 1);
    T sum = first ? T(0) : class_partials[i];
    for (int k = 0; k < factors; ++k) {
      sum += scores[k * factors + l] * r_values[k * (width + 1) + c];
    }
    class_partials[i] = sum;
  }
  __syncthreads();
  for (int i = team.rank; i < factors * width; i += team.size) {
    const T grad = r_grad[i];
#pragma unroll 4
    for (int r = 0; r < rows; ++r) {
      T& y = p2[r * factors * width + i];
      y = grad * (1 - y * y);
    }
  }
  __syncthreads();

  // Back through the second convolution.
  tile_product<T, column_blocks(kWide, 2), kWide, 0>(
      team, width, wide, rows * factors, [=](int o, int row) { return p2[row * width + o]; },
      [=](int row, int c) { return sums[row * wide + c]; },
      [=](int o, int c) { return first ? T(0) : second_partials[o * wide + c]; },
      [=](int o, int c, T value) { second_partials[o * wide + c] = value; });
  tile_product<T, column_blocks(kWide, kFactors == 2 ? 2 : 1), kWide, kWidth>(
      team, rows * factors, wide, width, [=](int row, int o) { return p2[row * width + o]; },
      [=](int o, int c) { return second_map[o * wide + c]; }, zero,
      [=](int row, int c, T value) { grad_sums[row * wide + c] = value; }, 4);
  __syncthreads();
  T* grad_z1 = sums;  // A_k(p1) has served
  gather<T, kWide, true, true, kAlone>(
      team, tile.out, rows, factors, tile.target_weight, narrow, wide,
      [=](int n, int k, int c) { return at(grad_sums, n, k, c); }, [=](int r, int k, int c) { return at(p1, r, k, c); },
      [=](int r, int k, int c, T sum) {
        const T y = at(p1, r, k, c);
        grad_z1[(r * factors + k) * wide + c] = sum * tile.source_weight[r] * (1 - y * y);
      },
      [=](int r, int k, T dot) { grad_gates[r * 2 * factors + k] = gate_of.scaled(dot * tile.source_weight[r]); });
  __syncthreads();

  // Back through the first one; both convolutions' gates as targets.
  T* parts = p2;  // [rows, factors, narrow]: what each factor sends to q
  gather<T, kNarrow, true, true, kAlone>(
      team, tile.out, rows, factors, tile.target_weight, narrow, narrow,
      [=](int n, int k, int c) { return at(grad_z1, n, k, c); }, [=](int r, int, int c) { return q[r * narrow + c]; },
      [=](int r, int k, int c, T sum) { parts[(r * factors + k) * narrow + c] = sum * tile.source_weight[r]; },
      [=](int r, int k, T dot) { grad_gates[r * 2 * factors + k] += gate_of.scaled(dot * tile.source_weight[r]); });
  gather<T, kNarrow, false, true, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, 0, narrow, [=](int n, int, int c) { return q[n * narrow + c]; },
      [=](int r, int k, int c) { return at(grad_z1, r, k, c); }, nothing,
      [=](int r, int k, T dot) { grad_gates[r * 2 * factors + factors + k] = dot; });
  __syncthreads();
  gather<T, kWide, false, true, kAlone>(
      team, tile.in, rows, factors, tile.source_weight, 0, wide, [=](int n, int k, int c) { return at(p1, n, k, c); },
      [=](int r, int k, int c) { return at(grad_sums, r, k, c); }, nothing,
      [=](int r, int k, T dot) {
        T& sum = grad_gates[r * 2 * factors + factors + k];
        sum = gate_of.scaled((sum + dot) * tile.target_weight[r]);
      });
  __syncthreads();
  for (int i = team.rank; i < rows * narrow; i += team.size) {
    const int r = i / narrow, c = i - r * narrow;
    T sum = 0;
    for (int k = 0; k < factors; ++k) {
      sum += parts[(r * factors + k) * narrow + c];
    }
    q[i] = sum;
  }
  for (int i = team.rank; i < rows * 2 * factors; i += team.size) {
    p.grad_gates[first_node * 2 * factors + i] = grad_gates[i];
  }
  __syncthreads();
  tile_product<T, column_blocks(W::plus_one(kWidth), 4), W::plus_one(kWidth), 0>(
      team, narrow, width + 1, rows, [=](int o, int r) { return q[r * narrow + o]; },
      [=](int r, int c) { return h[r * (width + 1) + c]; },
      [=](int o, int c) { return first ? T(0) : partials[o * (width + 1) + c]; },
      [=](int o, int c, T value) { partials[o * (width + 1) + c] = value; });
  tile_product<T, column_blocks(kWidth, 4), kWidth, kNarrow>(
      team, rows, width, narrow, [=](int r, int o) { return q[r * narrow + o]; },
      [=](int o, int c) { return first_map[o * (width + 1) + c]; }, zero,
      [=](int r, int c, T value) { p.grad_hidden[(first_node + r) * width + c] = value; }, 4);
}

}  // namespace factorgcn::cuda
