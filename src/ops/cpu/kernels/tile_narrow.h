// Gated sums over the edges of a tile whose rows are a few vectors, K * d values all told, and short of edges.
//
// Where a row has two or three edges, loops over rows are mostly mispredicted ends of loops. So there is one loop over
// all edges, which adds to the rows in memory: they are in the first-level cache, and with K and d known when compiling
// a row is one to four vectors. A vector holds columns of several factors, each multiplied by its own gate.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// How K * D values are laid out in vectors.
template <class T, int K, int D>
struct NarrowRow {
  static constexpr int kWidth = K * D < kLanes<T> ? K * D : kLanes<T>;
  static constexpr int kVectors = K * D / kWidth;
  using V = Vec<T, kWidth>;

  /// The gate of each lane's factor in vector v.
  template <int v, std::size_t... I>
  static FACTORGCN_INLINE V spread_gates(Vec<T, K> gate, std::index_sequence<I...>) {
    return __builtin_shufflevector(gate, gate, static_cast<int>((v * kWidth + I) / D)...);
  }
  template <int v>
  static FACTORGCN_INLINE V gates(Vec<T, K> gate) {
    return spread_gates<v>(gate, std::make_index_sequence<kWidth>{});
  }

  template <std::size_t... I>
  static FACTORGCN_INLINE V repeat_columns(Vec<T, D> x, std::index_sequence<I...>) {
    return __builtin_shufflevector(x, x, static_cast<int>(I % D)...);
  }
  /// The columns of vector v of a row that all factors share.
  template <int v>
  static FACTORGCN_INLINE V shared(const T* x) {
    if constexpr (D >= kWidth) {
      return load<T, kWidth>(x + v * kWidth % D);
    } else {
      return repeat_columns(load<T, D>(x), std::make_index_sequence<kWidth>{});
    }
  }

  /// row += value times the gates, as vectors.
  static FACTORGCN_INLINE void add(T* row, int v, V value) {
    store<T, kWidth>(row + v * kWidth, load<T, kWidth>(row + v * kWidth) + value);
  }
};

/// Sum over factors of K * D products: D values, added to `row`.
template <class T, int K, int D>
FACTORGCN_INLINE void add_over_factors(const typename NarrowRow<T, K, D>::V (&product)[NarrowRow<T, K, D>::kVectors],
                                       T* row) {
  using Row = NarrowRow<T, K, D>;
  constexpr int W = Row::kWidth;
  if constexpr (D >= W) {
    constexpr int kOwn = D / W;  // vectors of one factor
    repeat<kOwn>([&](auto c) {
      typename Row::V sum = product[c()];
#pragma GCC unroll 8
      for (int k = 1; k < K; ++k) {
        sum += product[k * kOwn + c()];
      }
      Row::add(row, c(), sum);
    });
  } else {
    typename Row::V sum = product[0];
#pragma GCC unroll 8
    for (int v = 1; v < Row::kVectors; ++v) {
      sum += product[v];
    }
    const auto folded = fold_halves<T, W, D>(sum);
    store<T, D>(row, load<T, D>(row) + folded);
  }
}

template <class T, int K, int D, bool kEach>
void narrow_sum(const TileEdges<T>& tile, const TileTable<T>& table) {
  using Row = NarrowRow<T, K, D>;
  constexpr std::int64_t kRow = K * D, kStride = kEach ? kRow : D;
  const std::int64_t first = tile.first_edge(), edges = tile.edges(), base = tile.node_begin;
  for (std::int64_t i = 0; i < tile.nodes() * kRow; ++i) {
    table.out[i] = 0;
  }
  const T* x = table.x - base * kStride;
  T* out = table.out - base * kRow;
  const std::int32_t *source = tile.in_sources + first, *target = tile.in_targets + first;
  for (std::int64_t e = 0; e < edges; ++e) {
    const T* from = x + source[e] * kStride;
    T* to = out + target[e] * kRow;
    const auto gate = load<T, K>(tile.in_gates + e * K);
    repeat<Row::kVectors>([&](auto v) {
      if constexpr (kEach) {
        Row::add(to, v(), load<T, Row::kWidth>(from + v() * Row::kWidth) * Row::template gates<v()>(gate));
      } else {
        Row::add(to, v(), Row::template shared<v()>(from) * Row::template gates<v()>(gate));
      }
    });
  }
  if (tile.target_weight != nullptr) {
    for (std::int64_t row = base; row < tile.node_end; ++row) {
      for (std::int64_t i = 0; i < kRow; ++i) {
        out[row * kRow + i] *= tile.target_weight[row];
      }
    }
  }
}

template <class T, int K, int D, bool kEach>
void narrow_backward(const TileEdges<T>& tile, const TileTable<T>& table, bool add, T* dots) {
  using Row = NarrowRow<T, K, D>;
  using V = typename Row::V;
  constexpr int W = Row::kWidth, NV = Row::kVectors;
  constexpr int kItems = D >= W ? K : NV;     // vectors of partial products of an edge
  constexpr int kLanesEach = D >= W ? W : D;  // lanes of one factor in them
  constexpr int kGroup = kItems >= 8 ? 1 : (8 / kItems > 4 ? 4 : 8 / kItems);
  constexpr std::int64_t kRow = K * D, kStride = kEach ? kRow : D;
  const std::int64_t first = tile.first_edge(), edges = tile.edges(), base = tile.node_begin;
  for (std::int64_t i = 0; i < tile.nodes() * kStride; ++i) {
    table.grad_x[i] = 0;
  }
  const T* x = table.x - base * kStride;
  T* grad_x = table.grad_x - base * kStride;
  const T* upstream = table.grad_out - base * kRow;
  const std::int32_t *source = tile.out_sources + first, *target = tile.out_targets + first;
  const auto edge = [&](std::int64_t e, V* part) {
    const T* own = x + source[e] * kStride;
    T* to = grad_x + source[e] * kStride;
    const T* from = upstream + target[e] * kRow;
    const auto gate = load<T, K>(tile.out_gates + e * K);
    V gated[NV], product[NV];
    repeat<NV>([&](auto v) {
      const V gradient = load<T, W>(from + v() * W);
      gated[v()] = gradient * Row::template gates<v()>(gate);
      if constexpr (kEach) {
        product[v()] = gradient * load<T, W>(own + v() * W);
        Row::add(to, v(), gated[v()]);
      } else {
        product[v()] = gradient * Row::template shared<v()>(own);
      }
    });
    if constexpr (!kEach) {
      add_over_factors<T, K, D>(gated, to);
    }
    repeat<kItems>([&](auto i) {
      V sum = product[i() * (NV / kItems)];
#pragma GCC unroll 8
      for (int v = 1; v < NV / kItems; ++v) {
        sum += product[i() * (NV / kItems) + v];
      }
      part[i()] = sum;
    });
  };
  // As many vectors are folded together as their sums fill one.
  const auto finish = [&](const V* part, std::int64_t e, auto count) {
    constexpr int kParts = count() * kItems, kBatch = kParts < kLanesEach ? kParts : kLanesEach;
    constexpr int kSums = kBatch * (W / kLanesEach);
    repeat<kParts / kBatch>([&](auto batch) {
      V some[kBatch];
#pragma GCC unroll 8
      for (int i = 0; i < kBatch; ++i) {
        some[i] = part[batch() * kBatch + i];
      }
      T* to = dots + e * K + batch() * kSums;
      auto sums = fold_parts<T, W, kLanesEach>(some);
      if (add) {
        sums += load<T, kSums>(to);
      }
      store<T, kSums>(to, sums);
    });
  };
  std::int64_t e = 0;
  for (; e + kGroup <= edges; e += kGroup) {
    V part[kGroup * kItems];
    repeat<kGroup>([&](auto g) { edge(e + g(), part + g() * kItems); });
    finish(part, e, Width<kGroup>{});
  }
  for (; e < edges; ++e) {
    V part[kItems];
    edge(e, part);
    finish(part, e, Width<1>{});
  }
  if (tile.source_weight != nullptr) {
    for (std::int64_t row = base; row < tile.node_end; ++row) {
      for (std::int64_t i = 0; i < kStride; ++i) {
        grad_x[row * kStride + i] *= tile.source_weight[row];
      }
    }
  }
}

/// Calls body(K, D), both constants, and returns true where the rows are narrow and the tile's degrees low.
template <class T, class Body>
FACTORGCN_INLINE bool with_narrow(const TileEdges<T>& tile, std::int64_t width, Body body) {
  constexpr std::int64_t kLowDegree = 8;
  if (tile.edges() > kLowDegree * tile.nodes()) {
    return false;
  }
  switch (tile.factors * 100 + width) {
    case 208:
      body(Width<2>{}, Width<8>{});
      return true;
    case 216:
      body(Width<2>{}, Width<16>{});
      return true;
    case 404:
      body(Width<4>{}, Width<4>{});
      return true;
    case 408:
      body(Width<4>{}, Width<8>{});
      return true;
    case 804:
      body(Width<8>{}, Width<4>{});
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
