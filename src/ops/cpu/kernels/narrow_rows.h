// Rows of K * d values that are a few vectors, with K and d known when compiling: a vector holds columns of several
// factors, each multiplied by its own gate.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// How K * D values are laid out in vectors.
template <class T, int K, int D>
struct NarrowRow {
  static constexpr int kWidth = K * D < kLanes<T> ? K * D : kLanes<T>;
  static constexpr int kVectors = K * D / kWidth;
  static_assert(K <= kWidth, "all gates of an edge must fit one vector");
  using V = Vec<T, kWidth>;

  // Whole vectors are loaded even where fewer values are wanted: widening a short one goes through memory. Gates and
  // tables of a tile may be read past their end (scratch.h).

  template <int v, std::size_t... I>
  static FACTORGCN_INLINE V spread(V gate, std::index_sequence<I...>) {
    return __builtin_shufflevector(gate, gate, static_cast<int>((v * kWidth + I) / D)...);
  }
  /// The gate of each lane's factor in vector v.
  template <int v>
  static FACTORGCN_INLINE V gates(const T* gate) {
    return spread<v>(load_first<T, kWidth, K>(gate), std::make_index_sequence<kWidth>{});
  }

  template <std::size_t... I>
  static FACTORGCN_INLINE V repeat_columns(V x, std::index_sequence<I...>) {
    return __builtin_shufflevector(x, x, static_cast<int>(I % D)...);
  }
  /// The columns of vector v of a row that all factors share.
  template <int v>
  static FACTORGCN_INLINE V shared(const T* x) {
    if constexpr (D >= kWidth) {
      return load<T, kWidth>(x + v * kWidth % D);
    } else {
      return repeat_columns(load_first<T, kWidth, D>(x), std::make_index_sequence<kWidth>{});
    }
  }
};

/// Calls body(K, D), both constants, and returns true where rows of K factors of `width` columns are among the narrow
/// ones.
template <class T, class Body>
FACTORGCN_INLINE bool with_narrow_row(std::int64_t factors, std::int64_t width, Body body) {
  const auto is = [&](auto k, auto d) {
    if constexpr (k() <= kLanes<T>) {
      if (factors == k() && width == d()) {
        body(k, d);
        return true;
      }
    }
    return false;
  };
  return is(Width<2>{}, Width<8>{}) || is(Width<2>{}, Width<16>{}) || is(Width<4>{}, Width<4>{}) ||
         is(Width<4>{}, Width<8>{}) || is(Width<4>{}, Width<16>{}) || is(Width<8>{}, Width<4>{}) ||
         is(Width<8>{}, Width<8>{});
}

/// K * D products summed over factors: D values in vectors.
template <class T, int K, int D>
struct FactorSum {
  using Row = NarrowRow<T, K, D>;
  static constexpr int kWidth = D < Row::kWidth ? D : Row::kWidth;
  static constexpr int kVectors = D / kWidth;
  Vec<T, kWidth> value[kVectors];

  FACTORGCN_INLINE explicit FactorSum(const typename Row::V (&product)[Row::kVectors]) {
    if constexpr (D >= Row::kWidth) {
      repeat<kVectors>([&](auto c) {
        value[c()] = product[c()];
#pragma GCC unroll 8
        for (int k = 1; k < K; ++k) {
          value[c()] += product[k * kVectors + c()];
        }
      });
    } else {
      typename Row::V sum = product[0];
#pragma GCC unroll 8
      for (int v = 1; v < Row::kVectors; ++v) {
        sum += product[v];
      }
      value[0] = fold_halves<T, Row::kWidth, D>(sum);
    }
  }
};

/// K * D products summed over columns: K values for each edge.
template <class T, int K, int D>
struct FactorProducts {
  using Row = NarrowRow<T, K, D>;
  using V = typename Row::V;
  static constexpr int W = Row::kWidth, NV = Row::kVectors;
  static constexpr int kItems = D >= W ? K : NV;     // vectors of partial sums of an edge
  static constexpr int kLanesEach = D >= W ? W : D;  // lanes of one factor in them
  // Edges whose sums are taken together: as many as fill one vector, and not too many registers.
  static constexpr int kGroup =
      4 * kItems <= kLanesEach && 4 * kItems <= 8 ? 4 : (2 * kItems <= kLanesEach && 2 * kItems <= 8 ? 2 : 1);

  static FACTORGCN_INLINE void gather(const V (&product)[NV], V* part) {
    repeat<kItems>([&](auto i) {
      part[i()] = product[i() * (NV / kItems)];
#pragma GCC unroll 8
      for (int v = 1; v < NV / kItems; ++v) {
        part[i()] += product[i() * (NV / kItems) + v];
      }
    });
  }

  /// The sums of kEdges edges, to dots or added to it.
  template <int kEdges>
  static FACTORGCN_INLINE void store_sums(const V* part, bool add, T* dots) {
    constexpr int kParts = kEdges * kItems, kBatch = kParts < kLanesEach ? kParts : kLanesEach;
    constexpr int kSums = kBatch * (W / kLanesEach);
    repeat<kParts / kBatch>([&](auto batch) {
      T* to = dots + batch() * kSums;
      auto sums = lane_sums_made<T, W, kLanesEach, kBatch, batch() * kBatch>([&](auto i) { return part[i()]; });
      if (add) {
        sums += load<T, kSums>(to);
      }
      store<T, kSums>(to, sums);
    });
  }
};

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
