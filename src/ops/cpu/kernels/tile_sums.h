// Gated sums over the edges of a tile, forward. The gates are there already (tile_gates.h).
//
// One loop over the tile's rows per block of columns and factors, so that short rows cost little more than their
// arithmetic.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/simd.h"
#include "ops/cpu/kernels/tile_narrow.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Most vectors of W that are taken at once, a half one counted as one. Narrow vectors are for rows of less than two.
template <class T, int W>
inline constexpr int kTileVectors = W == kLanes<T> ? 5 : 2;

/// Whether the columns of a row that are left over, at most half a vector of W, are taken by a half one. Processors
/// that have 64-byte vectors do two of 32 bytes in the time of one; with shorter ones nothing is gained.
template <class T, int W>
inline constexpr bool kHalfVectors = FACTORGCN_VECTOR_BYTES == 64 && W == kLanes<T>;

/// Columns that are worked on together: NV vectors of W and, where kHalf, one of W / 2 behind them. The last vector of
/// a row may overlap its neighbour instead of reaching past the end. Pointers are to the first column of the block.
template <class T, int W, int NV, bool kHalf>
struct ColumnBlock {
  using V = Vec<T, W>;
  using Half = Vec<T, kHalf ? W / 2 : 1>;
  static constexpr int kWidth = W, kVectors = NV, kPieces = NV + (kHalf ? 1 : 0), kHalfWidth = kHalf ? W / 2 : 1;
  static constexpr bool kHasHalf = kHalf;

  std::int64_t first;    // column
  std::int64_t last;     // where the last vector or half vector begins, from `first` on
  std::int64_t counted;  // lanes of it that its neighbour has too

  template <int v>
  FACTORGCN_INLINE std::int64_t column() const {
    return v + 1 < NV || kHalf ? std::int64_t{v} * W : last;
  }
  template <int v>
  FACTORGCN_INLINE V take(const T* row) const {
    return load<T, W>(row + column<v>());
  }
  FACTORGCN_INLINE Half take_half(const T* row) const { return load<T, kHalfWidth>(row + last); }
  /// For dot products: lanes that the neighbour has too are zero.
  template <int v>
  FACTORGCN_INLINE V take_once(const T* row) const {
    return v + 1 < NV || kHalf ? take<v>(row) : without_first<T, W>(take<v>(row), counted);
  }
  FACTORGCN_INLINE Half take_half_once(const T* row) const {
    return without_first<T, kHalfWidth>(take_half(row), counted);
  }
};

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

/// Calls body(columns, factors, first factor), a ColumnBlock and a constant, for blocks that cover all columns and
/// factors; a block of P vectors takes at most MostFactors::of(P) factors.
template <class T, int W, class MostFactors, class Body>
FACTORGCN_INLINE void for_blocks(std::int64_t width, std::int64_t factors, MostFactors, Body body) {
  constexpr int kMost = kTileVectors<T, W>;
  const std::int64_t rest = width % W;
  const bool half = kHalfVectors<T, W> && rest > 0 && rest <= W / 2;
  const std::int64_t pieces = (width + W - 1) / W;
  const auto all_factors = [&](auto columns) {
    for (std::int64_t k = 0; k < factors;) {
      with_factor_block<MostFactors::of(decltype(columns)::kPieces)>(factors - k, [&](auto kc) {
        body(columns, kc, k);
        k += kc();
      });
    }
  };
  std::int64_t taken = 0;
  for (std::int64_t v = 0; v < pieces; v += taken) {
    const std::int64_t left = pieces - v, first = v * W;
    // The last block has two pieces at least, as its last one may overlap the one before it.
    taken = left <= kMost ? left : (left == kMost + 1 ? kMost - 1 : kMost);
    if constexpr (kHalfVectors<T, W>) {
      if (half && taken == left) {
        with_vectors<kMost - 1>(taken - 1, [&](auto nv) {
          const std::int64_t last = width - W / 2;
          all_factors(ColumnBlock<T, W, nv(), true>{first, last - first, W / 2 - rest});
        });
        continue;
      }
    }
    with_vectors<kMost>(taken, [&](auto nv) {
      const std::int64_t last = vector_column<W>(v + taken - 1, width);
      all_factors(ColumnBlock<T, W, nv(), false>{first, last - first, (v + taken - 1) * W - last});
    });
  }
}

struct SumFactors {
  static constexpr int of(int pieces) {
    return pieces * 8 <= kAccumulators ? 8 : (pieces * 4 <= kAccumulators ? 4 : 2);
  }
};

template <class T, class Columns, int KC, bool kEach>
void sum_tile_rows(const TileEdges<T>& tile, const TileTable<T>& table, const Columns columns,
                   std::int64_t first_factor) {
  constexpr int W = Columns::kWidth, NV = Columns::kVectors;
  const std::int64_t factors = tile.factors, width = table.width, first = tile.first_edge();
  const std::int64_t x_stride = kEach ? factors * width : width;
  const T* x = table.x - tile.node_begin * x_stride + (kEach ? first_factor * width : 0) + columns.first;
  const T* gate = tile.in_gates + first_factor;
  T* out = table.out + first_factor * width + columns.first;
  const std::int32_t* source = tile.in_sources + first;
  for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row, out += factors * width) {
    typename Columns::V sum[KC][NV] = {};
    typename Columns::Half half[KC] = {};
    for (const std::int32_t* end = tile.in_sources + tile.in_offsets[row + 1]; source < end;
         ++source, gate += factors) {
      const T* from = x + *source * x_stride;
      repeat<KC>([&](auto k) {
        const T* values = kEach ? from + k() * width : from;
        const auto weight = broadcast<T, W>(gate[k()]);
        repeat<NV>([&](auto v) { sum[k()][v()] += columns.template take<v()>(values) * weight; });
        if constexpr (Columns::kHasHalf) {
          half[k()] += columns.take_half(values) * low_half(weight);
        }
      });
    }
    const T scale = tile.target_weight != nullptr ? tile.target_weight[row] : T(1);
    repeat<KC>([&](auto k) {
      T* to = out + k() * width;
      repeat<NV>([&](auto v) { store<T, W>(to + columns.template column<v()>(), sum[k()][v()] * scale); });
      if constexpr (Columns::kHasHalf) {
        store<T, W / 2>(to + columns.last, half[k()] * scale);
      }
    });
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
    for_blocks<T, w()>(table.width, tile.factors, SumFactors{}, [&](auto columns, auto kc, std::int64_t k) {
      if (table.each) {
        sum_tile_rows<T, decltype(columns), kc(), true>(tile, table, columns, k);
      } else {
        sum_tile_rows<T, decltype(columns), kc(), false>(tile, table, columns, k);
      }
    });
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
