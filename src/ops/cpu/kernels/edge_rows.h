// What all kernels that follow edges share: how columns are covered by vectors, and how gates are computed and summed.
//
// A row of d values is covered by vectors whose last one overlaps its neighbour instead of reaching past the end: both
// write the same values.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

// Registers that may hold accumulators: 32 vector registers on AVX-512, 16 elsewhere.
inline constexpr int kAccumulators = FACTORGCN_VECTOR_BYTES == 64 ? 24 : 12;
inline constexpr int kMaxVectors = FACTORGCN_VECTOR_BYTES == 64 ? 6 : 4;

/// First column of vector v when `width` columns are covered by vectors of W.
template <int W>
FACTORGCN_INLINE std::int64_t vector_column(std::int64_t v, std::int64_t width) {
  const std::int64_t column = v * W;
  return column + W <= width ? column : width - W;
}

/// How many vectors to take next. Never leaves a single one for the last block: it overlaps the one before it, and when
/// a long row goes on from its output, both must be loaded before either is stored.
FACTORGCN_INLINE std::int64_t block_vectors(std::int64_t left) {
  if (left <= kMaxVectors) {
    return left;
  }
  return left == kMaxVectors + 1 ? kMaxVectors - 1 : kMaxVectors;
}

/// Calls body with K as a compile-time number where it is a common one, else with 0.
template <class Body>
FACTORGCN_INLINE void with_factors(std::int64_t factors, Body body) {
  switch (factors) {
    case 1:
      return body(Width<1>{});
    case 2:
      return body(Width<2>{});
    case 4:
      return body(Width<4>{});
    case 8:
      return body(Width<8>{});
    default:
      return body(Width<0>{});
  }
}

/// Whether a tile's rows have few edges, so that loops over them are better replaced by one loop over all edges.
template <class T>
FACTORGCN_INLINE bool has_short_rows(const TileEdges<T>& tile) {
  constexpr std::int64_t kFewEdges = 8;
  return tile.edges() <= kFewEdges * tile.nodes();
}

/// gates[e][k] = own[k] + table[neighbour][k] for the edges of one piece.
template <class T, int K>
FACTORGCN_INLINE void fill_logits(const T* own, const T* table, std::int64_t stride, const std::int32_t* neighbours,
                                  std::int64_t count, std::int64_t factors, T* gates) {
  if constexpr (K > 0) {
    const auto mine = load<T, K>(own);
    for (std::int64_t e = 0; e < count; ++e) {
      store<T, K>(gates + e * K, mine + load<T, K>(table + neighbours[e] * stride));
    }
  } else {
    for (std::int64_t e = 0; e < count; ++e) {
      const T* theirs = table + neighbours[e] * stride;
      for (std::int64_t k = 0; k < factors; ++k) {
        gates[e * factors + k] = own[k] + theirs[k];
      }
    }
  }
}

/// Turns logits into gates, in place; the buffer is padded to whole vectors.
template <class T>
FACTORGCN_INLINE void open_gates(const Gate<T>& gate_of, T* values, std::int64_t count) {
  constexpr int W = kLanes<T>;
  for (std::int64_t i = 0; i < count; i += W) {
    store<T, W>(values + i, gate_of(load<T, W>(values + i)));
  }
}

/// Sums of K-wide rows: sums[k] (+)= values[e][k].
template <class T, int K>
FACTORGCN_INLINE void sum_gates(const T* values, std::int64_t count, std::int64_t factors, bool first, T scale,
                                T* sums) {
  if constexpr (K > 0) {
    auto sum = first ? Vec<T, K>{} : load<T, K>(sums);
    for (std::int64_t e = 0; e < count; ++e) {
      sum += load<T, K>(values + e * K);
    }
    store<T, K>(sums, sum * scale);
  } else {
    for (std::int64_t k = 0; k < factors; ++k) {
      T sum = first ? T(0) : sums[k];
      for (std::int64_t e = 0; e < count; ++e) {
        sum += values[e * factors + k];
      }
      sums[k] = sum * scale;
    }
  }
}

/// x of one source node in registers, for dot products: where the last vector overlaps its neighbour, the lanes that
/// were already counted are zero.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> load_for_dot(const T* x, std::int64_t v, std::int64_t width) {
  const std::int64_t column = vector_column<W>(v, width);
  return without_first<T, W>(load<T, W>(x + column), v * W - column);
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
