// Gradients of the gated sums over the edges of a tile: one loop over sources gives the gradient of what was summed
// and, for each edge and factor, the product <x of the source, gradient at the target> that the gate's gradient is made
// of.
//
// The products of several edges and factors are summed over lanes together, which takes a third of the shuffles that
// one at a time would.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/simd.h"
#include "ops/cpu/kernels/tile_narrow.h"
#include "ops/cpu/kernels/tile_sums.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// sums[i] (+)= the sum of all lanes of part[i].
template <class T, int W, int P>
FACTORGCN_INLINE void store_lane_sums(const Vec<T, W> (&part)[P], bool add, T* sums) {
  if constexpr (P > 1 && P <= W) {
    auto total = fold_parts<T, W, W, P>(part);
    if (add) {
      total += load<T, P>(sums);
    }
    store<T, P>(sums, total);
  } else {
#pragma GCC unroll 8
    for (int i = 0; i < P; ++i) {
      const T total = lane_sum<T, W>(part[i]);
      sums[i] = add ? sums[i] + total : total;
    }
  }
}

/// What the row loops below are told beside tile and table.
template <class T>
struct SourcePass {
  const TileEdges<T>& tile;
  const TileTable<T>& table;
  std::int64_t first_vector, first_factor;
  bool add;  // whether dots grow
  T* dots;
};

/// Calls body(constant, e) for the edges e .. end in groups, large ones first. Groups of several edges need the
/// products of an edge to fill its row of dots: kAlone says that they do not.
template <int KC, bool kAlone, class Body>
FACTORGCN_INLINE void for_edge_groups(std::int64_t e, std::int64_t end, Body body) {
  if constexpr (!kAlone && KC <= 2) {
    for (; e + 4 <= end; e += 4) {
      body(Width<4>{}, e);
    }
  }
  if constexpr (!kAlone && KC <= 4) {
    for (; e + 2 <= end; e += 2) {
      body(Width<2>{}, e);
    }
  }
  for (; e < end; ++e) {
    body(Width<1>{}, e);
  }
}

struct SharedFactors {
  static constexpr int of(int) { return 8; }
};

/// Where all factors share x: its gradient is summed over them.
template <class T, int W, int NV, int KC, bool kAlone>
void shared_backward_rows(const SourcePass<T>& pass) {
  using V = Vec<T, W>;
  // Sums that do not wait for each other: an addition takes several cycles.
  constexpr int kChains = NV == 1 ? (KC < 4 ? KC : 4) : (NV == 2 && KC > 1 ? 2 : 1);
  const TileEdges<T>& tile = pass.tile;
  const TileTable<T>& table = pass.table;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const T* upstream = table.grad_out - tile.node_begin * factors * width + pass.first_factor * width;
  const T* gates = tile.out_gates + pass.first_factor;
  T* dots = pass.dots + pass.first_factor;
  std::int64_t column[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    column[v] = vector_column<W>(pass.first_vector + v, width);
  }
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
    const std::int64_t own = (row - tile.node_begin) * width;
    V sum[kChains][NV] = {};
    V mine[NV];
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      mine[v] = load_for_dot<T, W>(table.x + own, pass.first_vector + v, width);
    }
    const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
    for_edge_groups<KC, kAlone>(begin, end, [&](auto group, std::int64_t e) {
      V part[KC * group()];
      repeat<group()>([&](auto g) {
        const T* from = upstream + tile.out_targets[first + e + g()] * factors * width;
        const T* gate = gates + (e + g()) * factors;
#pragma GCC unroll 8
        for (int k = 0; k < KC; ++k) {
          V products = V{};
#pragma GCC unroll 8
          for (int v = 0; v < NV; ++v) {
            const V gradient = load<T, W>(from + k * width + column[v]);
            sum[k % kChains][v] += gradient * gate[k];
            products += mine[v] * gradient;
          }
          part[g() * KC + k] = products;
        }
      });
      store_lane_sums<T, W, KC * group()>(part, pass.add, dots + e * factors);
    });
    const T weight = tile.source_weight != nullptr ? tile.source_weight[row] : T(1);
    const bool add_gradient = pass.first_factor > 0;
    V result[NV];
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      V total = sum[0][v];
#pragma GCC unroll 8
      for (int chain = 1; chain < kChains; ++chain) {
        total += sum[chain][v];
      }
      result[v] = add_gradient ? load<T, W>(table.grad_x + own + column[v]) + total * weight : total * weight;
    }
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      store<T, W>(table.grad_x + own + column[v], result[v]);
    }
  }
}

struct EachFactors {
  static constexpr int of(int vectors) {
    return vectors * 8 <= kAccumulators ? 4 : (vectors * 4 <= kAccumulators ? 2 : 1);
  }
};

/// Where each factor has its own columns.
template <class T, int W, int NV, int KC, bool kAlone>
void each_backward_rows(const SourcePass<T>& pass) {
  using V = Vec<T, W>;
  const TileEdges<T>& tile = pass.tile;
  const TileTable<T>& table = pass.table;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const T* upstream = table.grad_out - tile.node_begin * factors * width + pass.first_factor * width;
  const T* gates = tile.out_gates + pass.first_factor;
  T* dots = pass.dots + pass.first_factor;
  std::int64_t column[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    column[v] = vector_column<W>(pass.first_vector + v, width);
  }
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
    const std::int64_t own = ((row - tile.node_begin) * factors + pass.first_factor) * width;
    V sum[KC][NV] = {};
    V mine[KC][NV];
#pragma GCC unroll 8
    for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        mine[k][v] = load_for_dot<T, W>(table.x + own + k * width, pass.first_vector + v, width);
      }
    }
    const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
    for_edge_groups<KC, kAlone>(begin, end, [&](auto group, std::int64_t e) {
      V part[KC * group()];
      repeat<group()>([&](auto g) {
        const T* from = upstream + tile.out_targets[first + e + g()] * factors * width;
        const T* gate = gates + (e + g()) * factors;
#pragma GCC unroll 8
        for (int k = 0; k < KC; ++k) {
          V products = V{};
#pragma GCC unroll 8
          for (int v = 0; v < NV; ++v) {
            const V gradient = load<T, W>(from + k * width + column[v]);
            sum[k][v] += gradient * gate[k];
            products += mine[k][v] * gradient;
          }
          part[g() * KC + k] = products;
        }
      });
      store_lane_sums<T, W, KC * group()>(part, pass.add, dots + e * factors);
    });
    const T weight = tile.source_weight != nullptr ? tile.source_weight[row] : T(1);
#pragma GCC unroll 8
    for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        store<T, W>(table.grad_x + own + k * width + column[v], sum[k][v] * weight);
      }
    }
  }
}

/// grad_x of the table, and the products in dots ([edges, K], by source), which are added to what is there where `add`.
template <class T>
void tile_sum_backward(const TileEdges<T>& tile, const TileTable<T>& table, bool add, T* dots) {
  const bool narrow = with_narrow(tile, table.width, [&](auto k, auto d) {
    table.each ? narrow_backward<T, k(), d(), true>(tile, table, add, dots)
               : narrow_backward<T, k(), d(), false>(tile, table, add, dots);
  });
  if (narrow) {
    return;
  }
  with_width<T>(table.width, [&](auto w) {
    constexpr int W = w();
    const auto run = [&](auto most_factors, auto rows) {
      for_blocks<T, W>(table.width, tile.factors, most_factors, [&](auto nv, auto kc, std::int64_t v, std::int64_t k) {
        const SourcePass<T> pass{tile, table, v, k, add || v > 0, dots};
        if (kc() == tile.factors) {
          rows(nv, kc, Width<0>{}, pass);
        } else {
          rows(nv, kc, Width<1>{}, pass);
        }
      });
    };
    if (table.each) {
      run(EachFactors{}, [](auto nv, auto kc, auto alone, const SourcePass<T>& pass) {
        each_backward_rows<T, W, nv(), kc(), alone() != 0>(pass);
      });
    } else {
      run(SharedFactors{}, [](auto nv, auto kc, auto alone, const SourcePass<T>& pass) {
        shared_backward_rows<T, W, nv(), kc(), alone() != 0>(pass);
      });
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
