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

/// Asks the memory for rows of a table some edges before a walk over a list of neighbours needs them.
///
/// A walk asks once per row piece, so that requests keep coming at an even pace whatever the degrees are. They go to
/// the second-level cache, which can wait for more lines at once than the first-level one: twice as many rows a second.
class RowsAhead {
 public:
  /// Rows of `bytes` bytes, `stride` bytes apart, of the table that `neighbours` points into for the edges begin ..
  /// end. Small tables are in the cache anyway: nothing is done.
  template <class Index>
  RowsAhead(const void* table, std::int64_t rows, std::int64_t stride, std::int64_t bytes, const Index* neighbours,
            std::int64_t begin, std::int64_t end)
      : table_(static_cast<const char*>(table)), stride_(stride), bytes_(bytes), next_(begin) {
    if (table != nullptr && rows * stride > kLargeTable) {
      end_ = end;
    }
    static_assert(sizeof(Index) == 4 || sizeof(Index) == 8);
    if constexpr (sizeof(Index) == 4) {
      narrow_ = neighbours;
    } else {
      wide_ = neighbours;
    }
  }

  /// To be called before the edges up to `edge` are gone through.
  FACTORGCN_INLINE void before(std::int64_t edge) {
    if (next_ < end_) {
      ask(edge + kEdges < end_ ? edge + kEdges : end_);
    }
  }

 private:
  static constexpr std::int64_t kEdges = 48, kLine = 64, kLargeTable = 1 << 20;

  FACTORGCN_INLINE void ask(std::int64_t stop) {
    for (; next_ < stop; ++next_) {
      const char* row = table_ + (narrow_ != nullptr ? narrow_[next_] : wide_[next_]) * stride_;
      for (std::int64_t i = 0; i < bytes_; i += kLine) {
        __builtin_prefetch(row + i, 0, 2);
      }
    }
  }

  const char* table_;
  std::int64_t stride_, bytes_, next_, end_ = 0;
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

template <class T>
struct GateBuffer {
  alignas(64) T values[kGateBuffer + 64 / sizeof(T)] = {};
};

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
