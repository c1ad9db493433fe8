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

/// dots[g * stride + k] (+)= the sum of all lanes of make(g * KC + k), for G edges of KC factors. Where kTogether,
/// stride is KC.
template <class T, int W, int G, int KC, bool kTogether, class Make>
FACTORGCN_INLINE void store_lane_sums(const Make& make, bool add, T* dots, std::int64_t stride) {
  constexpr int kBatch = G * KC < W ? G * KC : W;                           // sums that are taken together
  constexpr int kPiece = kTogether ? kBatch : (KC < kBatch ? KC : kBatch);  // of them, those that are stored together
  repeat<G * KC / kBatch>([&](auto batch) {
    constexpr int kFirst = batch() * kBatch;
    const auto total = lane_sums_made<T, W, W, kBatch, kFirst>(make);
    repeat<kBatch / kPiece>([&](auto piece) {
      constexpr int i = kFirst + piece() * kPiece;
      T* const to = dots + i / KC * stride + i % KC;
      const auto sums = some_lanes<T, piece() * kPiece, kPiece>(total);
      store<T, kPiece>(to, add ? load<T, kPiece>(to) + sums : sums);
    });
  });
}

/// What the row loops below are told beside tile and table.
template <class T, class Columns>
struct SourcePass {
  const TileEdges<T>& tile;
  const TileTable<T>& table;
  Columns columns;
  std::int64_t first_factor;
  bool add;  // whether dots grow
  T* dots;
};

/// One factor of one edge: adds the gradient at its target to the source's sum, and returns its products with `mine`,
/// to be summed over lanes.
template <class T, class Columns, class V = typename Columns::V, class Half = typename Columns::Half>
FACTORGCN_INLINE V add_gradient(const Columns& columns, const T* from, T gate, const V (&mine)[Columns::kVectors],
                                Half mine_half, V (&sum)[Columns::kVectors], Half& sum_half) {
  constexpr int W = Columns::kWidth;
  const V weight = broadcast<T, W>(gate);
  V part = {};
  if constexpr (Columns::kHasHalf) {
    const Half gradient = kept(columns.take_half(from));
    sum_half += gradient * low_half(weight);
    part = widen<T, W>(mine_half * gradient);
  }
  repeat<Columns::kVectors>([&](auto v) {
    const V gradient = kept(columns.template take<v()>(from));
    sum[v()] += gradient * weight;
    part += mine[v()] * gradient;
  });
  return part;
}

/// Calls body(constant, e) for the edges e .. end in groups, large ones first.
template <int KC, class Body>
FACTORGCN_INLINE void for_edge_groups(std::int64_t e, std::int64_t end, Body body) {
  if constexpr (KC <= 2) {
    for (; e + 4 <= end; e += 4) {
      body(Width<4>{}, e);
    }
  }
  if constexpr (KC <= 4) {
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
template <class T, class Columns, int KC, bool kTogether>
void shared_backward_rows(const SourcePass<T, Columns>& pass) {
  using V = typename Columns::V;
  using Half = typename Columns::Half;
  constexpr int W = Columns::kWidth, NV = Columns::kVectors, kPieces = Columns::kPieces;
  // Sums that do not wait for each other: an addition takes several cycles.
  constexpr int kChains = kPieces == 1 ? (KC < 4 ? KC : 4) : (kPieces == 2 && KC > 1 ? 2 : 1);
  const TileEdges<T>& tile = pass.tile;
  const TileTable<T>& table = pass.table;
  const Columns columns = pass.columns;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const T* upstream = table.grad_out - tile.node_begin * factors * width + pass.first_factor * width + columns.first;
  const T* gates = tile.out_gates + pass.first_factor;
  T* dots = pass.dots + pass.first_factor;
  const bool add_gradients = pass.first_factor > 0;
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
    const T* own = table.x + (row - tile.node_begin) * width + columns.first;
    V sum[kChains][NV] = {}, mine[NV];
    Half half[kChains] = {}, mine_half = {};
    repeat<NV>([&](auto v) { mine[v()] = columns.template take_once<v()>(own); });
    if constexpr (Columns::kHasHalf) {
      mine_half = columns.take_half_once(own);
    }
    const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
    for_edge_groups<KC>(begin, end, [&](auto group, std::int64_t e) {
      const auto product = [&](auto i) __attribute__((always_inline)) {
        constexpr int g = i() / KC, k = i() % KC, chain = k % kChains;
        const T* from = upstream + tile.out_targets[first + e + g] * factors * width + k * width;
        return add_gradient<T>(columns, from, gates[(e + g) * factors + k], mine, mine_half, sum[chain], half[chain]);
      };
      store_lane_sums<T, W, group(), KC, kTogether>(product, pass.add, dots + e * factors, factors);
    });
    const T weight = tile.source_weight != nullptr ? tile.source_weight[row] : T(1);
    T* gradient = table.grad_x + (row - tile.node_begin) * width + columns.first;
    // All is read before anything is written: vectors may overlap.
    V result[NV];
    repeat<NV>([&](auto v) {
      V total = sum[0][v()];
#pragma GCC unroll 8
      for (int chain = 1; chain < kChains; ++chain) {
        total += sum[chain][v()];
      }
      result[v()] = add_gradients ? columns.template take<v()>(gradient) + total * weight : total * weight;
    });
    if constexpr (Columns::kHasHalf) {
#pragma GCC unroll 8
      for (int chain = 1; chain < kChains; ++chain) {
        half[0] += half[chain];
      }
      const Half total = add_gradients ? columns.take_half(gradient) + half[0] * weight : half[0] * weight;
      store<T, W / 2>(gradient + columns.last, total);
    }
    repeat<NV>([&](auto v) { store<T, W>(gradient + columns.template column<v()>(), result[v()]); });
  }
}

struct EachFactors {
  static constexpr int of(int pieces) {
    // x may come from memory: of 16 registers, all but a few are for sums.
    constexpr int kSums = 12;
    return pieces * 4 <= kSums ? 4 : (pieces * 2 <= kSums ? 2 : 1);
  }
};

/// Where each factor has its own columns.
template <class T, class Columns, int KC, bool kTogether>
void each_backward_rows(const SourcePass<T, Columns>& pass) {
  using V = typename Columns::V;
  using Half = typename Columns::Half;
  constexpr int W = Columns::kWidth, NV = Columns::kVectors;
  const TileEdges<T>& tile = pass.tile;
  const TileTable<T>& table = pass.table;
  const Columns columns = pass.columns;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const T* upstream = table.grad_out - tile.node_begin * factors * width + pass.first_factor * width + columns.first;
  const T* gates = tile.out_gates + pass.first_factor;
  T* dots = pass.dots + pass.first_factor;
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
    const std::int64_t own = ((row - tile.node_begin) * factors + pass.first_factor) * width + columns.first;
    V sum[KC][NV] = {}, mine[KC][NV];
    Half half[KC] = {}, mine_half[KC] = {};
    repeat<KC>([&](auto k) {
      const T* values = table.x + own + k() * width;
      repeat<NV>([&](auto v) { mine[k()][v()] = columns.template take_once<v()>(values); });
      if constexpr (Columns::kHasHalf) {
        mine_half[k()] = columns.take_half_once(values);
      }
    });
    const std::int64_t begin = tile.out_offsets[row] - first, end = tile.out_offsets[row + 1] - first;
    for_edge_groups<KC>(begin, end, [&](auto group, std::int64_t e) {
      const auto product = [&](auto i) __attribute__((always_inline)) {
        constexpr int g = i() / KC, k = i() % KC;
        const T* from = upstream + tile.out_targets[first + e + g] * factors * width + k * width;
        return add_gradient<T>(columns, from, gates[(e + g) * factors + k], mine[k], mine_half[k], sum[k], half[k]);
      };
      store_lane_sums<T, W, group(), KC, kTogether>(product, pass.add, dots + e * factors, factors);
    });
    const T weight = tile.source_weight != nullptr ? tile.source_weight[row] : T(1);
    repeat<KC>([&](auto k) {
      T* gradient = table.grad_x + own + k() * width;
      repeat<NV>([&](auto v) { store<T, W>(gradient + columns.template column<v()>(), sum[k()][v()] * weight); });
      if constexpr (Columns::kHasHalf) {
        store<T, W / 2>(gradient + columns.last, half[k()] * weight);
      }
    });
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
    const auto run = [&](auto most_factors, auto rows) {
      for_blocks<T, w()>(table.width, tile.factors, most_factors, [&](auto columns, auto kc, std::int64_t k) {
        const SourcePass<T, decltype(columns)> pass{tile, table, columns, k, add || columns.first > 0, dots};
        if (kc() == tile.factors) {
          rows(pass, kc, Width<1>{});
        } else {
          rows(pass, kc, Width<0>{});
        }
      });
    };
    if (table.each) {
      run(EachFactors{}, []<class Columns>(const SourcePass<T, Columns>& pass, auto kc, auto together) {
        each_backward_rows<T, Columns, kc(), together() != 0>(pass);
      });
    } else {
      run(SharedFactors{}, []<class Columns>(const SourcePass<T, Columns>& pass, auto kc, auto together) {
        shared_backward_rows<T, Columns, kc(), together() != 0>(pass);
      });
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
