// Gated sums over edges: the kernels of factor_aggregate and its per-factor twin.
//
// A range of rows is walked in chunks of edges. The gates of a chunk are computed together, K * edges values at a time,
// so that the exponential runs on full vectors even where rows are short; then each row sums its neighbours with
// accumulators in registers. A row of d values is covered by vectors whose last one overlaps its neighbour instead of
// reaching past the end: both write the same values. A row longer than a chunk goes on in the next one from its output.
#pragma once

#include <type_traits>

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

/// One row's share of a chunk.
struct RowPiece {
  std::int64_t row;
  std::int64_t begin, end;  // edges
  bool first, last;         // whether the row's first and last edge are in it
};

/// A position in a list of rows and their edges.
struct RowCursor {
  std::int64_t row;
  std::int64_t edge;
};

/// Calls piece() for each row, from the cursor on, that has edges before `stop` (or none at all); returns where it
/// stopped.
template <class Piece>
FACTORGCN_INLINE RowCursor walk_rows(const std::int64_t* offsets, std::int64_t row_end, RowCursor at, std::int64_t stop,
                                     Piece piece) {
  while (at.row < row_end) {
    const std::int64_t row_stop = offsets[at.row + 1];
    if (at.edge == stop && row_stop > stop) {
      break;
    }
    const std::int64_t end = row_stop < stop ? row_stop : stop;
    piece(RowPiece{at.row, at.edge, end, at.edge == offsets[at.row], end == row_stop});
    at.edge = end;
    if (end != row_stop) {
      break;
    }
    ++at.row;
  }
  return at;
}

/// gates[e][k] = scale * (own[k] + table[neighbour][k]) for the edges of one piece.
template <class T, int K>
FACTORGCN_INLINE void fill_logits(const T* own, const T* table, std::int64_t stride, const std::int32_t* neighbours,
                                  std::int64_t count, std::int64_t factors, T scale, T* gates) {
  if constexpr (K > 0) {
    const auto mine = load<T, K>(own);
    for (std::int64_t e = 0; e < count; ++e) {
      store<T, K>(gates + e * K, (mine + load<T, K>(table + neighbours[e] * stride)) * scale);
    }
  } else {
    for (std::int64_t e = 0; e < count; ++e) {
      const T* theirs = table + neighbours[e] * stride;
      for (std::int64_t k = 0; k < factors; ++k) {
        gates[e * factors + k] = (own[k] + theirs[k]) * scale;
      }
    }
  }
}

/// Asks for the neighbours' rows of a chunk before they are needed: its gates are computed while they travel. One flat
/// loop without branches that depend on the degrees.
template <class T>
FACTORGCN_INLINE void prefetch_rows(const T* values, std::int64_t row_size, const std::int32_t* neighbours,
                                    std::int64_t count) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t e = 0; e < count; ++e) {
    const T* row = values + neighbours[e] * row_size;
    for (std::int64_t i = 0; i < row_size; i += kLine) {
      __builtin_prefetch(row + i, 0, 2);
    }
  }
}

/// Whether fetching ahead pays: where degrees are high a row is met again and again and is in the cache already, and
/// small tables stay there anyway.
template <class T>
FACTORGCN_INLINE bool worth_prefetching(const std::int64_t* offsets, std::int64_t row_begin, std::int64_t row_end,
                                        std::int64_t row_size) {
  constexpr std::int64_t kLowDegree = 8, kWideRow = 256;
  return offsets[row_end] - offsets[row_begin] < kLowDegree * (row_end - row_begin) &&
         row_size * static_cast<std::int64_t>(sizeof(T)) > kWideRow;
}

/// In place; the buffer is padded to whole vectors.
template <class T>
FACTORGCN_INLINE void sigmoid_values(T* values, std::int64_t count) {
  constexpr int W = kLanes<T>;
  for (std::int64_t i = 0; i < count; i += W) {
    store<T, W>(values + i, sigmoid<T, W>(load<T, W>(values + i)));
  }
}

template <class T>
struct GateBuffer {
  alignas(64) T values[kGateBuffer + 64 / sizeof(T)] = {};
};

// ---- forward -------------------------------------------------------------------------------------------------------

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
    if (e + 8 < count) {
      __builtin_prefetch(x + neighbours[e + 8] * x_stride);
    }
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
  while (at.row < row_end) {
    const std::int64_t chunk_begin = at.edge;
    const std::int64_t stop = chunk_begin + chunk < edge_end ? chunk_begin + chunk : edge_end;
    for (int t = 0; t < problem.num_tables; ++t) {
      if (worth_prefetching<T>(offsets, row_begin, row_end, row_sums[t].row_size)) {
        prefetch_rows(problem.tables[t].x, row_sums[t].row_size, sources + chunk_begin, stop - chunk_begin);
      }
    }
    walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      fill_logits<T, K>(problem.right + piece.row * problem.gate_stride, problem.left, problem.gate_stride,
                        sources + piece.begin, piece.end - piece.begin, factors, problem.gate_scale,
                        gates + (piece.begin - chunk_begin) * factors);
    });
    sigmoid_values(gates, (stop - chunk_begin) * factors);
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
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
      const T* left = problem.left + problem.in_sources[e] * problem.gate_stride;
      const T* right = problem.right + row * problem.gate_stride;
      for (std::int64_t k = 0; k < factors; ++k) {
        problem.gates[e * factors + k] = sigmoid<T, 1>((right[k] + left[k]) * problem.gate_scale);
      }
    }
  }
}

// ---- backward ------------------------------------------------------------------------------------------------------

/// x of one source node in registers, for dot products: where the last vector overlaps its neighbour, the lanes that
/// were already counted are zero.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> load_for_dot(const T* x, std::int64_t v, std::int64_t width) {
  const std::int64_t column = vector_column<W>(v, width);
  const std::int64_t counted = v * W - column;
  if (counted == 0) {
    return load<T, W>(x + column);
  }
  // A window into zeros followed by ones, placed so that `counted` zeros come first.
  alignas(64) static constexpr auto kMask = [] {
    struct {
      T values[2 * W];
    } mask{};
    for (int lane = W; lane < 2 * W; ++lane) {
      mask.values[lane] = 1;
    }
    return mask;
  }();
  return load<T, W>(x + column) * load<T, W>(kMask.values + W - counted);
}

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
    if (e + 4 < count) {
      const T* ahead = table.grad_out + targets[e + 4] * factors * width;
      __builtin_prefetch(ahead);
      __builtin_prefetch(ahead + 64 / sizeof(T));
    }
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

template <class T>
using SourceRow = void (*)(const AggregateProblem<T>&, const AggregateTable<T>&, const RowPiece&, const T*, T, bool,
                           T*);

template <class T>
SourceRow<T> pick_source_row(const AggregateTable<T>& table) {
  SourceRow<T> picked = nullptr;
  with_width<T>(table.width,
                [&](auto w) { picked = table.each ? source_row<T, w(), true> : source_row<T, w(), false>; });
  return picked;
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
  const auto edge_weight = [&](std::int64_t e) {
    const T weight = source_weight * problem.gate_scale;
    return problem.target_weight != nullptr ? weight * problem.target_weight[targets[e]] : weight;
  };
  if constexpr (K > 0) {
    auto sum = piece.first ? Vec<T, K>{} : load<T, K>(sums);
    const auto one = broadcast<T, K>(1);
    for (std::int64_t e = 0; e < count; ++e) {
      const auto gate = load<T, K>(gates + e * K);
      auto inner = load<T, K>(dots + e * K);
      if (problem.grad_gate_sum != nullptr) {
        inner += load<T, K>(problem.grad_gate_sum + std::int64_t{targets[e]} * K);
      }
      const auto gradient = gate * (one - gate) * inner * edge_weight(e);
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
          inner += problem.grad_gate_sum[targets[e] * factors + k];
        }
        const T gradient = gate * (1 - gate) * inner * weight;
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
    source_rows[t] = pick_source_row(problem.tables[t]);
    row_size[t] = factors * problem.tables[t].width;
  }
  GateBuffer<T> gate_buffer, dot_buffer;
  T* gates = gate_buffer.values;

  RowCursor at{row_begin, offsets[row_begin]};
  const std::int64_t edge_end = offsets[row_end];
  while (at.row < row_end) {
    const std::int64_t chunk_begin = at.edge;
    const std::int64_t stop = chunk_begin + chunk < edge_end ? chunk_begin + chunk : edge_end;
    for (int t = 0; t < problem.num_tables; ++t) {
      if (worth_prefetching<T>(offsets, row_begin, row_end, row_size[t])) {
        prefetch_rows(problem.tables[t].grad_out, row_size[t], problem.out_targets + chunk_begin, stop - chunk_begin);
      }
    }
    walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      fill_logits<T, K>(problem.left + piece.row * problem.gate_stride, problem.right, problem.gate_stride,
                        problem.out_targets + piece.begin, piece.end - piece.begin, factors, problem.gate_scale,
                        gates + (piece.begin - chunk_begin) * factors);
    });
    sigmoid_values(gates, (stop - chunk_begin) * factors);
    at = walk_rows(offsets, row_end, at, stop, [&](const RowPiece& piece) {
      const std::int64_t position = (piece.begin - chunk_begin) * factors;
      T* dots = dot_buffer.values + position;
      const T source_weight = problem.source_weight != nullptr ? problem.source_weight[piece.row] : T(1);
      for (int t = 0; t < problem.num_tables; ++t) {
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
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      T* sums = problem.grad_right + row * factors;
      const std::int64_t begin = problem.in_offsets[row], end = problem.in_offsets[row + 1];
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
