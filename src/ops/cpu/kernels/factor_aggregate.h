// Gated sums over edges, for graphs of any size: the kernels of factor_aggregate and its per-factor twin.
//
// Rows are walked in chunks of edges (edge_chunks.h); each row sums its neighbours with accumulators in registers and
// goes on from its output where it is longer than a chunk.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_chunks.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Adds up the messages of one row piece into NV vectors of KC factors. x_stride is the distance between nodes; in the
/// per-factor twin (kEach) each factor has its own `width` columns.
template <class T, int W, int NV, int KC, bool kEach>
void accumulate_block(const T* x, std::int64_t x_stride, std::int64_t width, std::int64_t first_vector,
                      const std::int32_t* neighbours, std::int64_t count, const T* gates, std::int64_t factors,
                      bool first, T scale, T* out) {
  using V = Vec<T, W>;
  std::int64_t column[NV];
  V sum[KC][NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) {
    column[v] = vector_column<W>(first_vector + v, width);
#pragma GCC unroll 8
    for (int k = 0; k < KC; ++k) {
      sum[k][v] = first ? V{} : load<T, W>(out + k * width + column[v]);
    }
  }
  for (std::int64_t e = 0; e < count; ++e) {
    const T* from = x + neighbours[e] * x_stride;
    const T* gate = gates + e * factors;
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
#pragma GCC unroll 8
  for (int k = 0; k < KC; ++k) {
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      store<T, W>(out + k * width + column[v], sum[k][v] * scale);
    }
  }
}

template <class T>
using AccumulateBlock = void (*)(const T*, std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, std::int64_t,
                                 const T*, std::int64_t, bool, T, T*);

/// The kernel for NV vectors that takes as many factors at once as registers allow, and at most `factors`.
template <class T, int W, bool kEach, int NV>
AccumulateBlock<T> pick_block(std::int64_t factors, std::int64_t& taken) {
  if constexpr (NV * 8 <= kAccumulators) {
    if (factors >= 8) {
      taken = 8;
      return accumulate_block<T, W, NV, 8, kEach>;
    }
  }
  if constexpr (NV * 4 <= kAccumulators) {
    if (factors >= 4) {
      taken = 4;
      return accumulate_block<T, W, NV, 4, kEach>;
    }
  }
  if (factors >= 2) {
    taken = 2;
    return accumulate_block<T, W, NV, 2, kEach>;
  }
  taken = 1;
  return accumulate_block<T, W, NV, 1, kEach>;
}

template <class T, int W, bool kEach>
AccumulateBlock<T> pick_block(std::int64_t vectors, std::int64_t factors, std::int64_t& taken) {
  switch (vectors) {
    case 1:
      return pick_block<T, W, kEach, 1>(factors, taken);
    case 2:
      return pick_block<T, W, kEach, 2>(factors, taken);
    case 3:
      return pick_block<T, W, kEach, 3>(factors, taken);
    case 4:
      return pick_block<T, W, kEach, 4>(factors, taken);
    default:
      break;
  }
  if constexpr (kMaxVectors >= 6) {
    return vectors == 5 ? pick_block<T, W, kEach, 5>(factors, taken) : pick_block<T, W, kEach, 6>(factors, taken);
  } else {
    return pick_block<T, W, kEach, 4>(factors, taken);
  }
}

/// Sums of one row piece for one table: all its columns and factors.
template <class T, int W, bool kEach>
void sum_row(const AggregateTable<T>& table, std::int64_t factors, const RowPiece& piece,
             const std::int32_t* neighbours, const T* gates, T scale) {
  const std::int64_t width = table.width, x_stride = kEach ? factors * width : width;
  const std::int64_t vectors = (width + W - 1) / W, count = piece.end - piece.begin;
  T* out = table.out + piece.row * factors * width;
  for (std::int64_t v = 0; v < vectors; v += block_vectors(vectors - v)) {
    std::int64_t taken = 0;
    for (std::int64_t k = 0; k < factors; k += taken) {
      const auto block = pick_block<T, W, kEach>(block_vectors(vectors - v), factors - k, taken);
      block(table.x + (kEach ? k * width : 0), x_stride, width, v, neighbours, count, gates + k, factors, piece.first,
            scale, out + k * width);
    }
  }
}

/// How the rows of one table are summed, decided once per range: by one block where a single one covers all columns and
/// factors, as in most layers, else by sum_row.
template <class T>
struct RowSums {
  const AggregateTable<T>* table = nullptr;
  std::int64_t factors = 0, row_size = 0;
  AccumulateBlock<T> block = nullptr;
  void (*general)(const AggregateTable<T>&, std::int64_t, const RowPiece&, const std::int32_t*, const T*, T) = nullptr;

  void choose(const AggregateTable<T>& chosen, std::int64_t num_factors) {
    table = &chosen;
    factors = num_factors;
    row_size = chosen.each ? factors * chosen.width : chosen.width;
    with_width<T>(chosen.width, [&](auto w) {
      constexpr int W = w();
      const std::int64_t vectors = (chosen.width + W - 1) / W;
      general = chosen.each ? sum_row<T, W, true> : sum_row<T, W, false>;
      std::int64_t taken = 0;
      const auto candidate = chosen.each ? pick_block<T, W, true>(block_vectors(vectors), factors, taken)
                                         : pick_block<T, W, false>(block_vectors(vectors), factors, taken);
      block = vectors <= kMaxVectors && taken == factors ? candidate : nullptr;
    });
  }

  const T* values() const { return table != nullptr ? table->x : nullptr; }

  FACTORGCN_INLINE void operator()(const RowPiece& piece, const std::int32_t* neighbours, const T* gates,
                                   T scale) const {
    if (block != nullptr) {
      block(table->x, row_size, table->width, 0, neighbours, piece.end - piece.begin, gates, factors, piece.first,
            scale, table->out + piece.row * factors * table->width);
    } else {
      general(*table, factors, piece, neighbours, gates, scale);
    }
  }
};

template <class T, int K>
void aggregate_rows_as(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors;
  const std::int64_t chunk = kGateBuffer / factors;
  const std::int64_t* offsets = problem.in_offsets;
  const std::int32_t* sources = problem.in_sources;
  RowSums<T> row_sums[2];
  for (int t = 0; t < problem.num_tables; ++t) {
    row_sums[t].choose(problem.tables[t], factors);
  }
  GateBuffer<T> buffer;
  T* gates = buffer.values;

  RowCursor at{row_begin, offsets[row_begin]};
  const std::int64_t edge_end = offsets[row_end];
  const auto ahead = [&](const T* table, std::int64_t stride, std::int64_t values) {
    return RowsAhead(table, problem.nodes, stride * kBytes<T>, values * kBytes<T>, sources, at.edge, edge_end);
  };
  RowsAhead gates_ahead = ahead(problem.left, problem.gate_stride, factors);
  RowsAhead weights_ahead = ahead(problem.source_weight, 1, 1);
  RowsAhead rows_ahead[2] = {ahead(row_sums[0].values(), row_sums[0].row_size, row_sums[0].row_size),
                             ahead(row_sums[1].values(), row_sums[1].row_size, row_sums[1].row_size)};
  while (at.row < row_end) {
    const std::int64_t chunk_begin = at.edge;
    const std::int64_t stop = chunk_begin + chunk < edge_end ? chunk_begin + chunk : edge_end;
    walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      gates_ahead.before(piece.end);
      weights_ahead.before(piece.end);
      fill_logits<T, K>(problem.right + piece.row * problem.gate_stride, problem.left, problem.gate_stride,
                        sources + piece.begin, piece.end - piece.begin, factors,
                        gates + (piece.begin - chunk_begin) * factors);
    });
    open_gates(Gate<T>(problem.gate_scale), gates, (stop - chunk_begin) * factors);
    if (problem.source_weight != nullptr) {
      for (std::int64_t e = chunk_begin; e < stop; ++e) {
        const T weight = problem.source_weight[sources[e]];
        T* gate = gates + (e - chunk_begin) * factors;
        if constexpr (K > 0) {
          store<T, K>(gate, load<T, K>(gate) * weight);
        } else {
          for (std::int64_t k = 0; k < factors; ++k) {
            gate[k] *= weight;
          }
        }
      }
    }
    at = walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      const T* row_gates = gates + (piece.begin - chunk_begin) * factors;
      const T scale = piece.last && problem.target_weight != nullptr ? problem.target_weight[piece.row] : T(1);
      for (int t = 0; t < problem.num_tables; ++t) {
        rows_ahead[t].before(piece.end);
        row_sums[t](piece, sources + piece.begin, row_gates, scale);
      }
      if (problem.gate_sum != nullptr) {
        sum_gates<T, K>(row_gates, piece.end - piece.begin, factors, piece.first, scale,
                        problem.gate_sum + piece.row * factors);
      }
    });
  }
}

template <class T>
void aggregate_rows(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_factors(problem.factors, [&](auto k) { aggregate_rows_as<T, k()>(problem, row_begin, row_end); });
}

/// The gates alone, in the order of in-edges.
template <class T>
void gate_rows(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors;
  const Gate<T> gate_of(problem.gate_scale);
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
      const T* left = problem.left + problem.in_sources[e] * problem.gate_stride;
      const T* right = problem.right + row * problem.gate_stride;
      for (std::int64_t k = 0; k < factors; ++k) {
        problem.gates[e * factors + k] = gate_of(right[k] + left[k]);
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
