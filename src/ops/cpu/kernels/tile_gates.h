// The gates of a tile's edges, computed once for every pass over them, and the way back to the two gate tables.
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

/// By target, times the source's weight; and, where asked for, by source.
template <class T>
void tile_gates(const TileEdges<T>& tile) {
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge();
    const T scale = tile.gate_scale;
    for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
      const std::int64_t begin = tile.in_offsets[row], end = tile.in_offsets[row + 1];
      fill_logits<T, K>(tile.right + row * tile.gate_stride, tile.left, tile.gate_stride, tile.in_sources + begin,
                        end - begin, factors, scale, tile.in_gates + (begin - first) * factors);
    }
    const std::int64_t edges = tile.edges();
    sigmoid_values(tile.in_gates, edges * factors);
    if (tile.out_gates != nullptr) {
      const std::int64_t* to_out = tile.in_to_out + first;
      for (std::int64_t e = 0; e < edges; ++e) {
        const T* gate = tile.in_gates + e * factors;
        for_factors<T, K>(factors, gate, gate, tile.out_gates + (to_out[e] - first) * factors,
                          [](auto a, auto) { return a; });
      }
    }
    if (tile.source_weight != nullptr) {
      const std::int32_t* sources = tile.in_sources + first;
      for (std::int64_t e = 0; e < edges; ++e) {
        const T weight = tile.source_weight[sources[e]];
        T* gate = tile.in_gates + e * factors;
        for_factors<T, K>(factors, gate, gate, gate, [weight](auto a, auto) { return a * weight; });
      }
    }
  });
}

/// By source alone.
template <class T>
void tile_source_gates(const TileEdges<T>& tile) {
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge();
    for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
      const std::int64_t begin = tile.out_offsets[row], end = tile.out_offsets[row + 1];
      fill_logits<T, K>(tile.left + row * tile.gate_stride, tile.right, tile.gate_stride, tile.out_targets + begin,
                        end - begin, factors, tile.gate_scale, tile.out_gates + (begin - first) * factors);
    }
    sigmoid_values(tile.out_gates, tile.edges() * factors);
  });
}

/// sums[i][k] = sum over in-edges of the weighted gates, [nodes, K].
template <class T>
void tile_gate_sums(const TileEdges<T>& tile, T* sums) {
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge();
    for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
      const std::int64_t begin = tile.in_offsets[row], end = tile.in_offsets[row + 1];
      sum_gates<T, K>(tile.in_gates + (begin - first) * factors, end - begin, factors, true,
                      tile.target_weight != nullptr ? tile.target_weight[row] : T(1),
                      sums + (row - tile.node_begin) * factors);
    }
  });
}

/// From the gradient of each edge's gate, dots + grad_gate_sum of its target, to those of the gate tables: left beside
/// right, [nodes, 2 K]. grad_gate_sum (or null) is times the target's weight, as the products in dots are.
template <class T>
void tile_gate_backward(const TileEdges<T>& tile, const T* dots, const T* grad_gate_sum, T* grad_gates) {
  with_factors(tile.factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t factors = tile.factors, first = tile.first_edge(), begin_node = tile.node_begin;
    for (std::int64_t i = 0; i < tile.nodes() * 2 * factors; ++i) {
      grad_gates[i] = 0;
    }
    for (std::int64_t row = begin_node; row < tile.node_end; ++row) {
      const T weight = tile.source_weight != nullptr ? tile.gate_scale * tile.source_weight[row] : tile.gate_scale;
      T* left = grad_gates + (row - begin_node) * 2 * factors;
      const auto add_edges = [&](auto& sum, auto gradient_of) {
        for (std::int64_t e = tile.out_offsets[row]; e < tile.out_offsets[row + 1]; ++e) {
          const std::int64_t target = tile.out_targets[e] - begin_node;
          gradient_of(sum, (e - first) * factors, grad_gate_sum + target * factors,
                      grad_gates + (2 * target + 1) * factors);
        }
      };
      if constexpr (K > 0) {
        auto total = Vec<T, K>{};
        add_edges(total, [&](auto& sum, std::int64_t at, const T* of_target, T* right) {
          const auto gate = load<T, K>(tile.out_gates + at);
          auto inner = load<T, K>(dots + at);
          if (grad_gate_sum != nullptr) {
            inner += load<T, K>(of_target);
          }
          const auto gradient = gate * (broadcast<T, K>(1) - gate) * inner * weight;
          sum += gradient;
          store<T, K>(right, load<T, K>(right) + gradient);
        });
        store<T, K>(left, total);
      } else {
        add_edges(left, [&](T* sums, std::int64_t at, const T* of_target, T* right) {
          for (std::int64_t k = 0; k < factors; ++k) {
            const T gate = tile.out_gates[at + k];
            const T inner = grad_gate_sum != nullptr ? dots[at + k] + of_target[k] : dots[at + k];
            const T gradient = gate * (1 - gate) * inner * weight;
            sums[k] += gradient;
            right[k] += gradient;
          }
        });
      }
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
