// Gated sums over the edges of a tile, forward. The gates are there already (tile_gates.h).
//
// One loop over the tile's rows per block of columns and factors, so that short rows cost little more than their
// arithmetic.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/simd.h"
#include "ops/cpu/kernels/tile_narrow.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Most vectors of W that are taken at once. Narrow vectors are for rows of less than two of them.
template <class T, int W>
inline constexpr int kTileVectors = W == kLanes<T> ? kMaxVectors : 2;

/// Calls body(constant) for a number of vectors in 1 .. kMost.
template <int kMost, class Body>
FACTORGCN_INLINE void with_vectors(std::int64_t vectors, Body body) {
  if constexpr (kMost > 1) {
    if (vectors < kMost) {
      return with_vectors<kMost - 1>(vectors, body);
    }
  }
  body(Width<kMost>{});
}

/// Calls body(constant) with the largest of 8, 4, 2, 1 that is not above `factors` nor above kMost.
template <int kMost, class Body>
FACTORGCN_INLINE void with_factor_block(std::int64_t factors, Body body) {
  if constexpr (kMost >= 8) {
    if (factors >= 8) {
      return body(Width<8>{});
    }
  }
  if constexpr (kMost >= 4) {
    if (factors >= 4) {
      return body(Width<4>{});
    }
  }
  if constexpr (kMost >= 2) {
    if (factors >= 2) {
      return body(Width<2>{});
    }
  }
  body(Width<1>{});
}

/// Calls body(vectors, factors, first vector, first factor), the first two constants, for blocks that cover all columns
/// and factors; a block of NV vectors takes at most kMostFactors(NV) factors.
template <class T, int W, class MostFactors, class Body>
FACTORGCN_INLINE void for_blocks(std::int64_t width, std::int64_t factors, MostFactors, Body body) {
  constexpr int kMost = kTileVectors<T, W>;
  const std::int64_t vectors = (width + W - 1) / W;
  std::int64_t taken = 0;
  for (std::int64_t v = 0; v < vectors; v += taken) {
    taken = vectors - v <= kMost ? vectors - v : block_vectors(vectors - v);
    with_vectors<kMost>(taken, [&](auto nv) {
      for (std::int64_t k = 0; k < factors;) {
        with_factor_block<MostFactors::of(nv())>(factors - k, [&](auto kc) {
          body(nv, kc, v, k);
          k += kc();
        });
      }
    });
  }
}

struct SumFactors {
  static constexpr int of(int vectors) {
    return vectors * 8 <= kAccumulators ? 8 : (vectors * 4 <= kAccumulators ? 4 : 2);
  }
};

template <class T, int W, int NV, int KC, bool kEach>
void sum_tile_rows(const TileEdges<T>& tile, const TileTable<T>& table, std::int64_t first_vector,
                   std::int64_t first_factor) {
  using V = Vec<T, W>;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const std::int64_t x_stride = kEach ? factors * width : width;
  const T* x = table.x - tile.node_begin * x_stride + (kEach ? first_factor * width : 0);
  const T* gate = tile.in_gates + first_factor;
  T* out = table.out + first_factor * width;
  std::int64_t column[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    column[v] = vector_column<W>(first_vector + v, width);
  }
  const std::int32_t* source = tile.in_sources + first;
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row, out += factors * width) {
    V sum[KC][NV] = {};
    for (const std::int32_t* end = tile.in_sources + tile.in_offsets[row + 1]; source < end;
         ++source, gate += factors) {
      const T* from = x + *source * x_stride;
      if constexpr (kEach) {
#pragma GCC unroll 8
        for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
          for (int v = 0; v < NV; ++v) {
            sum[k][v] += load<T, W>(from + k * width + column[v]) * gate[k];
          }
        }
      } else {
        V message[NV];
#pragma GCC unroll 8
        for (int v = 0; v < NV; ++v) {
          message[v] = load<T, W>(from + column[v]);
        }
#pragma GCC unroll 8
        for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
          for (int v = 0; v < NV; ++v) {
            sum[k][v] += message[v] * gate[k];
          }
        }
      }
    }
    const T scale = tile.target_weight != nullptr ? tile.target_weight[row] : T(1);
#pragma GCC unroll 8
    for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        store<T, W>(out + k * width + column[v], sum[k][v] * scale);
      }
    }
  }
}

/// out of the table: every row's gated sum times the target's weight.
template <class T>
void tile_sum(const TileEdges<T>& tile, const TileTable<T>& table) {
  const bool narrow = with_narrow(tile, table.width, [&](auto k, auto d) {
    table.each ? narrow_sum<T, k(), d(), true>(tile, table) : narrow_sum<T, k(), d(), false>(tile, table);
  });
  if (narrow) {
    return;
  }
  with_width<T>(table.width, [&](auto w) {
    for_blocks<T, w()>(table.width, tile.factors, SumFactors{}, [&](auto nv, auto kc, std::int64_t v, std::int64_t k) {
      if (table.each) {
        sum_tile_rows<T, w(), nv(), kc(), true>(tile, table, v, k);
      } else {
        sum_tile_rows<T, w(), nv(), kc(), false>(tile, table, v, k);
      }
    });
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
