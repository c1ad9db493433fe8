// The gates of a tile's edges, computed once for every pass over them, and the way back to the two gate tables.
//
// Where rows have two or three edges, the ends of loops over a row's edges cannot be predicted: then one loop takes all
// edges and adds to rows in memory. Longer rows are summed in registers.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// K values at a time where K is a common number, else one by one: to[k] = function(a[k], b[k]).
template <class T, int K, class Function>
FACTORGCN_INLINE void for_factors(std::int64_t factors, const T* a, const T* b, T* to, Function function) {
  if constexpr (K > 0) {
    store<T, K>(to, function(load<T, K>(a), load<T, K>(b)));
  } else {
    for (std::int64_t k = 0; k < factors; ++k) {
      to[k] = function(a[k], b[k]);
    }
  }
}

// Each takes a copy of the tile's description: the compiler cannot know that a store leaves the original alone.

/// By target, times the source's weight; and, where asked for, by source.
template <class T>
void tile_gates(const TileEdges<T>& given) {
  const TileEdges<T> tile = given;
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge(), edges = tile.edges();
    const std::int32_t *source = tile.in_sources + first, *target = tile.in_targets + first;
    if (has_short_rows(tile)) {
      for (std::int64_t e = 0; e < edges; ++e) {
        for_factors<T, K>(factors, tile.left + source[e] * tile.gate_stride, tile.right + target[e] * tile.gate_stride,
                          tile.in_gates + e * factors, [](auto a, auto b) { return a + b; });
      }
    } else {
      for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
        const std::int64_t begin = tile.in_offsets[row] - first, end = tile.in_offsets[row + 1] - first;
        fill_logits<T, K>(tile.right + row * tile.gate_stride, tile.left, tile.gate_stride, source + begin, end - begin,
                          factors, tile.in_gates + begin * factors);
      }
    }
    open_gates(Gate<T>(tile.gate_scale), tile.in_gates, edges * factors);
    if (tile.out_gates == nullptr && tile.source_weight == nullptr) {
      return;
    }
    const std::int64_t* to_out = tile.in_to_out + first;
    for (std::int64_t e = 0; e < edges; ++e) {
      T* gate = tile.in_gates + e * factors;
      if (tile.out_gates != nullptr) {
        for_factors<T, K>(factors, gate, gate, tile.out_gates + (to_out[e] - first) * factors,
                          [](auto a, auto) { return a; });
      }
      if (tile.source_weight != nullptr) {
        const T weight = tile.source_weight[source[e]];
        for_factors<T, K>(factors, gate, gate, gate, [weight](auto a, auto) { return a * weight; });
      }
    }
  });
}

/// By source alone.
template <class T>
void tile_source_gates(const TileEdges<T>& given) {
  const TileEdges<T> tile = given;
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge(), edges = tile.edges();
    const std::int32_t *source = tile.out_sources + first, *target = tile.out_targets + first;
    if (has_short_rows(tile)) {
      for (std::int64_t e = 0; e < edges; ++e) {
        for_factors<T, K>(factors, tile.left + source[e] * tile.gate_stride, tile.right + target[e] * tile.gate_stride,
                          tile.out_gates + e * factors, [](auto a, auto b) { return a + b; });
      }
    } else {
      for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
        const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
        fill_logits<T, K>(tile.left + row * tile.gate_stride, tile.right, tile.gate_stride, target + begin, end - begin,
                          factors, tile.out_gates + begin * factors);
      }
    }
    open_gates(Gate<T>(tile.gate_scale), tile.out_gates, edges * factors);
  });
}

/// sums[i][k] = sum over in-edges of the weighted gates times the target's weight, [nodes, K].
template <class T>
void tile_gate_sums(const TileEdges<T>& given, T* sums) {
  const TileEdges<T> tile = given;
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge(), edges = tile.edges(), base = tile.node_begin;
    if (!has_short_rows(tile)) {
      for (std::int64_t row = base; row < tile.node_end; ++row) {
        const std::int64_t begin = tile.in_offsets[row], end = tile.in_offsets[row + 1];
        sum_gates<T, K>(tile.in_gates + (begin - first) * factors, end - begin, factors, true,
                        tile.target_weight != nullptr ? tile.target_weight[row] : T(1), sums + (row - base) * factors);
      }
      return;
    }
    for (std::int64_t i = 0; i < tile.nodes() * factors; ++i) {
      sums[i] = 0;
    }
    const std::int32_t* target = tile.in_targets + first;
    for (std::int64_t e = 0; e < edges; ++e) {
      T* sum = sums + (target[e] - base) * factors;
      for_factors<T, K>(factors, sum, tile.in_gates + e * factors, sum, [](auto a, auto b) { return a + b; });
    }
    if (tile.target_weight != nullptr) {
      for (std::int64_t i = 0; i < tile.nodes() * factors; ++i) {
        sums[i] *= tile.target_weight[base + i / factors];
      }
    }
  });
}

/// From the gradient of each edge's gate, dots + grad_gate_sum of its target, to those of the gate tables: left beside
/// right, [nodes, 2 K]. grad_gate_sum (or null) is times the target's weight, as the products in dots are.
template <class T>
void tile_gate_backward(const TileEdges<T>& given, const T* dots, const T* grad_gate_sum, T* grad_gates) {
  const TileEdges<T> tile = given;
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge(), edges = tile.edges(), base = tile.node_begin;
    for (std::int64_t i = 0; i < tile.nodes() * 2 * factors; ++i) {
      grad_gates[i] = 0;
    }
    const std::int32_t *source = tile.out_sources + first, *target = tile.out_targets + first;
    const Gate<T> gate_of(tile.gate_scale);
    const auto weight_of = [&](std::int64_t row) {
      return gate_of.scaled(tile.source_weight != nullptr ? tile.source_weight[row] : T(1));
    };
    // Adds the gradient of an edge's logits to its target's row and to `left`.
    const auto add_edge = [&](std::int64_t e, T weight, auto& left) __attribute__((always_inline)) {
      const T *gates = tile.out_gates + e * factors, *products = dots + e * factors;
      const T* of_target = grad_gate_sum + (target[e] - base) * factors;
      T* right = grad_gates + ((target[e] - base) * 2 + 1) * factors;
      if constexpr (K > 0) {
        const auto gate = load<T, K>(gates);
        auto inner = load<T, K>(products);
        if (grad_gate_sum != nullptr) {
          inner += load<T, K>(of_target);
        }
        const auto gradient = gate_of.slope(gate) * inner * weight;
        left += gradient;
        store<T, K>(right, load<T, K>(right) + gradient);
      } else {
        for (std::int64_t k = 0; k < factors; ++k) {
          const T inner = grad_gate_sum != nullptr ? products[k] + of_target[k] : products[k];
          const T gradient = gate_of.slope(gates[k]) * inner * weight;
          left[k] += gradient;
          right[k] += gradient;
        }
      }
    };
    const auto left_of = [&](std::int64_t row) { return grad_gates + (row - base) * 2 * factors; };
    if constexpr (K > 0) {
      if (has_short_rows(tile)) {
        for (std::int64_t e = 0; e < edges; ++e) {
          auto gradient = Vec<T, K>{};
          add_edge(e, weight_of(source[e]), gradient);
          T* left = left_of(source[e]);
          store<T, K>(left, load<T, K>(left) + gradient);
        }
        return;
      }
    }
    for (std::int64_t row = base; row < tile.node_end; ++row) {
      const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
      const T weight = weight_of(row);
      T* left = left_of(row);
      if constexpr (K > 0) {
        auto sum = load<T, K>(left);
        for (std::int64_t e = begin; e < end; ++e) {
          add_edge(e, weight, sum);
        }
        store<T, K>(left, sum);
      } else {
        for (std::int64_t e = begin; e < end; ++e) {
          add_edge(e, weight, left);
        }
      }
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
