// Walking a range of rows in chunks of edges, for graphs of any size.
//
// The gates of a chunk are computed together, K * edges values at a time, so that the exponential runs on full vectors
// even where rows are short. A row longer than a chunk goes on in the next one.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/edge_rows.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

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

template <class T>
struct GateBuffer {
  alignas(64) T values[kGateBuffer + 64 / sizeof(T)] = {};
};

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
