// Weighted sums over edges: factor_aggregate's sums with weights that are given instead of computed.
#pragma once

#include "ops/cpu/kernels/factor_aggregate.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Rows of a pass over in-edges (or, with both orders exchanged, over out-edges): out = target_weight * sum w x.
template <class T>
void weighted_rows(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors, chunk = kGateBuffer / factors;
  const std::int64_t* offsets = problem.in_offsets;
  const std::int32_t* sources = problem.in_sources;
  RowSums<T> row_sums;
  row_sums.choose(problem.tables[0], factors);
  GateBuffer<T> buffer;
  if (problem.source_weight == nullptr && problem.given_gates == nullptr) {
    for (T& value : buffer.values) {
      value = 1;
    }
  }
  RowCursor at{row_begin, offsets[row_begin]};
  const std::int64_t edge_end = offsets[row_end];
  RowsAhead rows_ahead(problem.tables[0].x, problem.nodes, row_sums.row_size * kBytes<T>, row_sums.row_size * kBytes<T>,
                       sources, at.edge, edge_end);
  while (at.row < row_end) {
    const std::int64_t chunk_begin = at.edge;
    const std::int64_t stop = chunk_begin + chunk < edge_end ? chunk_begin + chunk : edge_end;
    const T* given = problem.given_gates != nullptr ? problem.given_gates + chunk_begin * factors : nullptr;
    const T* gates = given != nullptr ? given : buffer.values;
    if (problem.source_weight != nullptr) {
      for (std::int64_t e = 0; e < stop - chunk_begin; ++e) {
        const T weight = problem.source_weight[sources[chunk_begin + e]];
        for (std::int64_t k = 0; k < factors; ++k) {
          buffer.values[e * factors + k] = given != nullptr ? given[e * factors + k] * weight : weight;
        }
      }
      gates = buffer.values;
    }
    at = walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      const T scale = piece.last && problem.target_weight != nullptr ? problem.target_weight[piece.row] : T(1);
      rows_ahead.before(piece.end);
      row_sums(piece, sources + piece.begin, gates + (piece.begin - chunk_begin) * factors, scale);
    });
  }
}

/// Over out-edges of each source: grad_x, and into grad_logits the gradients of the weights.
template <class T>
void weighted_backward_sources(const AggregateProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t factors = problem.factors;
  const std::int64_t* offsets = problem.out_offsets;
  // Not the narrow rows' way, which may read past the end of the gates: these belong to the caller.
  const SourceRow<T> source_row = pick_wide_source_row(problem.tables[0]);
  const std::int64_t row_bytes = factors * problem.tables[0].width * kBytes<T>;
  RowsAhead rows_ahead(problem.tables[0].grad_out, problem.nodes, row_bytes, row_bytes, problem.out_targets,
                       offsets[row_begin], offsets[row_end]);
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    rows_ahead.before(offsets[row + 1]);
    const RowPiece piece{row, offsets[row], offsets[row + 1], true, true};
    const T source_weight = problem.source_weight != nullptr ? problem.source_weight[row] : T(1);
    T* dots = problem.grad_logits + piece.begin * factors;
    source_row(problem, problem.tables[0], piece, problem.given_gates + piece.begin * factors, source_weight, false,
               dots);
    if (problem.source_weight == nullptr && problem.target_weight == nullptr) {
      continue;
    }
    for (std::int64_t e = piece.begin; e < piece.end; ++e, dots += factors) {
      const T weight = problem.target_weight != nullptr ? source_weight * problem.target_weight[problem.out_targets[e]]
                                                        : source_weight;
      for (std::int64_t k = 0; k < factors; ++k) {
        dots[k] *= weight;
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
