// Gated sums over the edges of a tile whose rows are a few vectors, K * d values all told, and short of edges.
//
// Where a row has two or three edges, loops over rows are mostly mispredicted ends of loops. So there is one loop over
// all edges: a row's sum stays in registers, is stored after every edge, and starts at zero again, by a mask, when the
// next edge belongs to another row. With K and d known when compiling, a row is one to four vectors; a vector holds
// columns of several factors, each multiplied by its own gate.
#pragma once

#include <type_traits>

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/narrow_rows.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// The sum of a row of N vectors, edge after edge.
template <class T, int W, int N>
struct RunningRow {
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Vec<Index, W> last = Vec<Index, W>{} - 1;
  Vec<T, W> sum[N] = {};

  FACTORGCN_INLINE void add(std::int32_t row, const Vec<T, W> (&value)[N], T* to) {
    const Vec<Index, W> now = Vec<Index, W>{} + row;
    const auto same = now == last;
    last = now;
    repeat<N>([&](auto v) {
      sum[v()] = (same ? sum[v()] : Vec<T, W>{}) + value[v()];
      store<T, W>(to + v() * W, sum[v()]);
    });
  }
};

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
  const T* gates = tile.in_gates;
  const std::int32_t *source = tile.in_sources + first, *target = tile.in_targets + first;
  RunningRow<T, Row::kWidth, Row::kVectors> sum;
  for (std::int64_t e = 0; e < edges; ++e) {
    const T* from = x + source[e] * kStride;
    const T* gate = gates + e * K;
    typename Row::V message[Row::kVectors];
    repeat<Row::kVectors>([&](auto v) {
      if constexpr (kEach) {
        message[v()] = load<T, Row::kWidth>(from + v() * Row::kWidth) * Row::template gates<v()>(gate);
      } else {
        message[v()] = Row::template shared<v()>(from) * Row::template gates<v()>(gate);
      }
    });
    sum.add(target[e], message, out + target[e] * kRow);
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
  using Products = FactorProducts<T, K, D>;
  constexpr int kItems = Products::kItems, kGroup = Products::kGroup;
  constexpr std::int64_t kRow = K * D, kStride = kEach ? kRow : D;
  const std::int64_t first = tile.first_edge(), edges = tile.edges(), base = tile.node_begin;
  for (std::int64_t i = 0; i < tile.nodes() * kStride; ++i) {
    table.grad_x[i] = 0;
  }
  const T* x = table.x - base * kStride;
  T* grad_x = table.grad_x - base * kStride;
  const T* upstream = table.grad_out - base * kRow;
  const std::int32_t *source = tile.out_sources + first, *target = tile.out_targets + first;
  const T* gates = tile.out_gates;
  using Sum = FactorSum<T, K, D>;
  RunningRow<T, kEach ? W : Sum::kWidth, kEach ? NV : Sum::kVectors> sum;
  const auto edge = [&](std::int64_t e, V * part) __attribute__((always_inline)) {
    const T* own = x + source[e] * kStride;
    T* to = grad_x + source[e] * kStride;
    const T* from = upstream + target[e] * kRow;
    const T* gate = gates + e * K;
    V gated[NV], product[NV];
    repeat<NV>([&](auto v) {
      const V gradient = load<T, W>(from + v() * W);
      gated[v()] = gradient * Row::template gates<v()>(gate);
      if constexpr (kEach) {
        product[v()] = gradient * load<T, W>(own + v() * W);
      } else {
        product[v()] = gradient * Row::template shared<v()>(own);
      }
    });
    if constexpr (kEach) {
      sum.add(source[e], gated, to);
    } else {
      sum.add(source[e], Sum(gated).value, to);
    }
    Products::gather(product, part);
  };
  std::int64_t e = 0;
  for (; e + kGroup <= edges; e += kGroup) {
    V part[kGroup * kItems];
    repeat<kGroup>([&](auto g) { edge(e + g(), part + g() * kItems); });
    Products::template store_sums<kGroup>(part, add, dots + e * K);
  }
  for (; e < edges; ++e) {
    V part[kItems];
    edge(e, part);
    Products::template store_sums<1>(part, add, dots + e * K);
  }
  if (tile.source_weight != nullptr) {
    for (std::int64_t row = base; row < tile.node_end; ++row) {
      for (std::int64_t i = 0; i < kStride; ++i) {
        grad_x[row * kStride + i] *= tile.source_weight[row];
      }
    }
  }
}

/// Calls body(K, D), both constants, and returns true where the rows are narrow and short.
template <class T, class Body>
FACTORGCN_INLINE bool with_narrow(const TileEdges<T>& tile, std::int64_t width, Body body) {
  return has_short_rows(tile) && with_narrow_row<T>(tile.factors, width, body);
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
