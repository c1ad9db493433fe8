// Gradients of the gated sums over edges, for graphs of any size: by source for the features and the left gate table,
// then by target for the right one.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_chunks.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/narrow_rows.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// The gradient of a shared h: grad_x += c w g summed over all factors, and the dot products <h, g_k> of each edge.
template <class T, int W, int NV>
void source_block(const AggregateProblem<T>& problem, const AggregateTable<T>& table, const RowPiece& piece,
                  std::int64_t first_vector, const T* gates, T source_weight, bool add, T* dots) {
  using V = Vec<T, W>;
  const std::int64_t factors = problem.factors, width = table.width;
  T* grad = table.grad_x + piece.row * width;
  std::int64_t column[NV];
  V sum[NV], mine[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    column[v] = vector_column<W>(first_vector + v, width);
    sum[v] = piece.first ? V{} : load<T, W>(grad + column[v]);
    mine[v] = load_for_dot<T, W>(table.x + piece.row * width, first_vector + v, width);
  }
  const std::int64_t count = piece.end - piece.begin;
  const std::int32_t* targets = problem.out_targets + piece.begin;
  for (std::int64_t e = 0; e < count; ++e) {
    const std::int64_t target = targets[e];
    const T weight = problem.target_weight != nullptr ? source_weight * problem.target_weight[target] : source_weight;
    const T* upstream = table.grad_out + target * factors * width;
    const T* gate = gates + e * factors;
    T* dot = dots + e * factors;
    const auto one_factor = [&](std::int64_t k) {
      const T weighted = gate[k] * weight;
      V part = V{};
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        const V g = load<T, W>(upstream + k * width + column[v]);
        sum[v] += g * weighted;
        part += mine[v] * g;
      }
      return part;
    };
    std::int64_t k = 0;
    if constexpr (W >= 4) {
      for (; k + 4 <= factors; k += 4) {
        const V a = one_factor(k), b = one_factor(k + 1), c = one_factor(k + 2), d = one_factor(k + 3);
        auto sums = lane_sums<T, W>(a, b, c, d);
        if (add) {
          sums += load<T, 4>(dot + k);
        }
        store<T, 4>(dot + k, sums);
      }
    }
    for (; k < factors; ++k) {
      const T total = lane_sum<T, W>(one_factor(k));
      dot[k] = add ? dot[k] + total : total;
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    store<T, W>(grad + column[v], sum[v]);
  }
}

/// The same where every factor has its own columns.
template <class T, int W, int NV>
void source_block_each(const AggregateProblem<T>& problem, const AggregateTable<T>& table, const RowPiece& piece,
                       std::int64_t first_vector, const T* gates, T source_weight, bool add, T* dots) {
  using V = Vec<T, W>;
  const std::int64_t factors = problem.factors, width = table.width;
  const std::int64_t count = piece.end - piece.begin;
  const std::int32_t* targets = problem.out_targets + piece.begin;
  for (std::int64_t k = 0; k < factors; ++k) {
    const std::int64_t own = (piece.row * factors + k) * width;
    T* grad = table.grad_x + own;
    std::int64_t column[NV];
    V sum[NV], mine[NV];
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      column[v] = vector_column<W>(first_vector + v, width);
      sum[v] = piece.first ? V{} : load<T, W>(grad + column[v]);
      mine[v] = load_for_dot<T, W>(table.x + own, first_vector + v, width);
    }
    for (std::int64_t e = 0; e < count; ++e) {
      const std::int64_t target = targets[e];
      const T weight = problem.target_weight != nullptr ? source_weight * problem.target_weight[target] : source_weight;
      const T* upstream = table.grad_out + (target * factors + k) * width;
      const T weighted = gates[e * factors + k] * weight;
      V part = V{};
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) {
        const V g = load<T, W>(upstream + column[v]);
        sum[v] += g * weighted;
        part += mine[v] * g;
      }
      T& dot = dots[e * factors + k];
      const T total = lane_sum<T, W>(part);
      dot = add ? dot + total : total;
    }
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      store<T, W>(grad + column[v], sum[v]);
    }
  }
}

/// All columns of one row piece for one table. `add`: an earlier table has already put its products into dots.
template <class T, int W, bool kEach>
void source_row(const AggregateProblem<T>& problem, const AggregateTable<T>& table, const RowPiece& piece,
                const T* gates, T source_weight, bool add, T* dots) {
  const std::int64_t vectors = (table.width + W - 1) / W;
  for (std::int64_t v = 0; v < vectors; v += block_vectors(vectors - v)) {
    const auto run = [&](auto nv) {
      if constexpr (kEach) {
        source_block_each<T, W, nv()>(problem, table, piece, v, gates, source_weight, add || v > 0, dots);
      } else {
        source_block<T, W, nv()>(problem, table, piece, v, gates, source_weight, add || v > 0, dots);
      }
    };
    switch (block_vectors(vectors - v)) {
      case 1:
        run(Width<1>{});
        break;
      case 2:
        run(Width<2>{});
        break;
      case 3:
        run(Width<3>{});
        break;
      case 4:
        run(Width<4>{});
        break;
      case 5:
        run(Width<(kMaxVectors >= 5 ? 5 : kMaxVectors)>{});
        break;
      default:
        run(Width<kMaxVectors>{});
        break;
    }
  }
}

/// Both for rows of a few vectors: all columns and factors of an edge together.
template <class T, int K, int D, bool kEach>
void narrow_source_row(const AggregateProblem<T>& problem, const AggregateTable<T>& table, const RowPiece& piece,
                       const T* gates, T source_weight, bool add, T* dots) {
  using Row = NarrowRow<T, K, D>;
  using Products = FactorProducts<T, K, D>;
  using V = typename Row::V;
  constexpr int W = Row::kWidth, NV = Row::kVectors, kGroup = Products::kGroup, kItems = Products::kItems;
  constexpr std::int64_t kRow = K * D, kOwn = kEach ? kRow : D;
  // The row's own values, K times where they are shared.
  alignas(64) T own[kRow];
  for (std::int64_t i = 0; i < kRow; i += kOwn) {
    __builtin_memcpy(own + i, table.x + piece.row * kOwn, kOwn * sizeof(T));
  }
  V mine[NV], sum[NV] = {};
  repeat<NV>([&](auto v) { mine[v()] = load<T, W>(own + v() * W); });
  const std::int64_t count = piece.end - piece.begin;
  const std::int32_t* targets = problem.out_targets + piece.begin;
  const T* target_weight = problem.target_weight;
  const T* upstream = table.grad_out;
  const auto edge = [&](std::int64_t e, V * part) __attribute__((always_inline)) {
    const std::int64_t target = targets[e];
    const T* from = upstream + target * kRow;
    const T weight = target_weight != nullptr ? target_weight[target] : T(1);
    V product[NV];
    repeat<NV>([&](auto v) {
      const V gradient = load<T, W>(from + v() * W);
      sum[v()] += gradient * (Row::template gates<v()>(gates + e * K) * weight);
      product[v()] = gradient * mine[v()];
    });
    Products::gather(product, part);
  };
  std::int64_t e = 0;
  for (; e + kGroup <= count; e += kGroup) {
    V part[kGroup * kItems];
    repeat<kGroup>([&](auto g) { edge(e + g(), part + g() * kItems); });
    Products::template store_sums<kGroup>(part, add, dots + e * K);
  }
  for (; e < count; ++e) {
    V part[kItems];
    edge(e, part);
    Products::template store_sums<1>(part, add, dots + e * K);
  }
  T* grad = table.grad_x + piece.row * kOwn;
  const auto write = [&](const auto& value, auto width, auto vectors) {
    repeat<vectors()>([&](auto v) {
      T* to = grad + v() * width();
      const auto total = value[v()] * source_weight;
      store<T, width()>(to, piece.first ? total : load<T, width()>(to) + total);
    });
  };
  if constexpr (kEach) {
    write(sum, Width<W>{}, Width<NV>{});
  } else {
    using Sum = FactorSum<T, K, D>;
    write(Sum(sum).value, Width<Sum::kWidth>{}, Width<Sum::kVectors>{});
  }
}

template <class T>
using SourceRow = void (*)(const AggregateProblem<T>&, const AggregateTable<T>&, const RowPiece&, const T*, T, bool,
                           T*);

/// For any widths; reads no gates but those of the piece.
template <class T>
SourceRow<T> pick_wide_source_row(const AggregateTable<T>& table) {
  SourceRow<T> picked = nullptr;
  with_width<T>(table.width,
                [&](auto w) { picked = table.each ? source_row<T, w(), true> : source_row<T, w(), false>; });
  return picked;
}

template <class T>
SourceRow<T> pick_source_row(const AggregateTable<T>& table, std::int64_t factors) {
  SourceRow<T> picked = nullptr;
  const bool narrow = with_narrow_row<T>(factors, table.width, [&](auto k, auto d) {
    picked = table.each ? narrow_source_row<T, k(), d(), true> : narrow_source_row<T, k(), d(), false>;
  });
  return narrow ? picked : pick_wide_source_row(table);
}

/// Turns dot products into gradients of the gates' logits, keeps them for the targets' pass and sums them for the
/// source.
template <class T, int K>
FACTORGCN_INLINE void finish_logits(const AggregateProblem<T>& problem, const RowPiece& piece, const T* gates,
                                    T source_weight, const T* dots) {
  const std::int64_t factors = problem.factors;
  T* sums = problem.grad_left + piece.row * factors;
  T* logits = problem.grad_logits + piece.begin * factors;
  const std::int64_t count = piece.end - piece.begin;
  const std::int32_t* targets = problem.out_targets + piece.begin;
  const Gate<T> gate_of(problem.gate_scale);
  const auto edge_weight = [&](std::int64_t e) {
    const T weight = gate_of.scaled(source_weight);
    return problem.target_weight != nullptr ? weight * problem.target_weight[targets[e]] : weight;
  };
  if constexpr (K > 0) {
    auto sum = piece.first ? Vec<T, K>{} : load<T, K>(sums);
    for (std::int64_t e = 0; e < count; ++e) {
      const auto gate = load<T, K>(gates + e * K);
      auto inner = load<T, K>(dots + e * K);
      if (problem.grad_gate_sum != nullptr) {
        inner += load<T, K>(problem.grad_gate_sum + targets[e] * problem.upstream_stride);
      }
      const auto gradient = gate_of.slope(gate) * inner * edge_weight(e);
      store<T, K>(logits + e * K, gradient);
      sum += gradient;
    }
    store<T, K>(sums, sum);
  } else {
    if (piece.first) {
      for (std::int64_t k = 0; k < factors; ++k) {
        sums[k] = 0;
      }
    }
    for (std::int64_t e = 0; e < count; ++e) {
      const T weight = edge_weight(e);
      for (std::int64_t k = 0; k < factors; ++k) {
        const T gate = gates[e * factors + k];
        T inner = dots[e * factors + k];
        if (problem.grad_gate_sum != nullptr) {
          inner += problem.grad_gate_sum[targets[e] * problem.upstream_stride + k];
        }
        const T gradient = gate_of.slope(gate) * inner * weight;
        logits[e * factors + k] = gradient;
        sums[k] += gradient;
      }
    }
  }
}

template <class T, int K>
void backward_sources_as(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors;
  const std::int64_t chunk = kGateBuffer / factors;
  const std::int64_t* offsets = problem.out_offsets;
  SourceRow<T> source_rows[2] = {};
  std::int64_t row_size[2] = {};
  for (int t = 0; t < problem.num_tables; ++t) {
    source_rows[t] = pick_source_row(problem.tables[t], factors);
    row_size[t] = factors * problem.tables[t].width;
  }
  GateBuffer<T> gate_buffer, dot_buffer;
  T* gates = gate_buffer.values;

  RowCursor at{row_begin, offsets[row_begin]};
  const std::int64_t edge_end = offsets[row_end];
  const auto ahead = [&](const T* table, std::int64_t stride, std::int64_t values) {
    return RowsAhead(table, problem.nodes, stride * kBytes<T>, values * kBytes<T>, problem.out_targets, at.edge,
                     edge_end);
  };
  // Gates and the gradients of their sums lie in one row, which is still in the cache when these are used.
  const std::int64_t upstream_values = problem.grad_gate_sum != nullptr ? 2 * factors : factors;
  RowsAhead gates_ahead = ahead(problem.right, problem.upstream_stride, upstream_values);
  RowsAhead rows_ahead[2] = {ahead(problem.tables[0].grad_out, row_size[0], row_size[0]),
                             ahead(problem.tables[1].grad_out, row_size[1], row_size[1])};
  while (at.row < row_end) {
    const std::int64_t chunk_begin = at.edge;
    const std::int64_t stop = chunk_begin + chunk < edge_end ? chunk_begin + chunk : edge_end;
    walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      gates_ahead.before(piece.end);
      fill_logits<T, K>(problem.left + piece.row * problem.gate_stride, problem.right, problem.upstream_stride,
                        problem.out_targets + piece.begin, piece.end - piece.begin, factors,
                        gates + (piece.begin - chunk_begin) * factors);
    });
    open_gates(Gate<T>(problem.gate_scale), gates, (stop - chunk_begin) * factors);
    at = walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      const std::int64_t position = (piece.begin - chunk_begin) * factors;
      T* dots = dot_buffer.values + position;
      const T source_weight = problem.source_weight != nullptr ? problem.source_weight[piece.row] : T(1);
      for (int t = 0; t < problem.num_tables; ++t) {
        rows_ahead[t].before(piece.end);
        source_rows[t](problem, problem.tables[t], piece, gates + position, source_weight, t > 0, dots);
      }
      finish_logits<T, K>(problem, piece, gates + position, source_weight, dots);
    });
  }
}

/// Over out-edges of each source: grad_x of each table, grad_left and the scratch grad_logits.
template <class T>
void aggregate_backward_sources(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_factors(problem.factors, [&](auto k) { backward_sources_as<T, k()>(problem, row_begin, row_end); });
}

/// Over in-edges of each target: grad_right from the scratch grad_logits.
template <class T>
void aggregate_backward_targets(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors;
  with_factors(factors, [&](auto constant) {
    constexpr int K = constant();
    const std::int64_t *offsets = problem.in_offsets, bytes = factors * kBytes<T>;
    RowsAhead logits_ahead(problem.grad_logits, offsets[problem.nodes], bytes, bytes, problem.in_to_out,
                           offsets[row_begin], offsets[row_end]);
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      T* sums = problem.grad_right + row * factors;
      const std::int64_t begin = offsets[row], end = offsets[row + 1];
      logits_ahead.before(end);
      if constexpr (K > 0) {
        auto sum = Vec<T, K>{};
        for (std::int64_t e = begin; e < end; ++e) {
          sum += load<T, K>(problem.grad_logits + problem.in_to_out[e] * K);
        }
        store<T, K>(sums, sum);
      } else {
        for (std::int64_t k = 0; k < factors; ++k) {
          sums[k] = 0;
        }
        for (std::int64_t e = begin; e < end; ++e) {
          const T* logits = problem.grad_logits + problem.in_to_out[e] * factors;
          for (std::int64_t k = 0; k < factors; ++k) {
            sums[k] += logits[k];
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
