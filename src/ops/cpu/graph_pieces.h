// Cuts a batch's nodes into pieces that never cross a graph's border.
//
// Sums over graphs are taken piece by piece and added in order. Pieces depend on the graphs alone, so the result does
// not depend on the number of threads, and one large graph keeps all threads busy.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn::cpu {

struct GraphPiece {
  std::int64_t graph;
  std::int64_t begin, end;  // nodes
};

inline constexpr std::int64_t kPieceNodes = 512;

/// Throws Error, naming the operation, unless offsets rise from 0 to `nodes`. Returns the number of graphs.
inline std::int64_t check_graph_offsets(const char* operation, const at::Tensor& offsets, std::int64_t nodes) {
  require(offsets.defined() && offsets.dim() == 1 && offsets.scalar_type() == at::kLong && offsets.is_contiguous() &&
              offsets.numel() >= 1,
          operation, ": offsets must be a contiguous list of int64 with at least one entry");
  const std::int64_t graphs = offsets.numel() - 1;
  const std::int64_t* at = offsets.data_ptr<std::int64_t>();
  require(at[0] == 0 && at[graphs] == nodes && std::is_sorted(at, at + graphs + 1), operation,
          ": offsets must rise from 0 to the number of rows, ", nodes);
  return graphs;
}

/// All pieces in order; a graph without nodes has none. Offsets must have been checked.
inline std::vector<GraphPiece> graph_pieces(const at::Tensor& offsets) {
  std::vector<GraphPiece> pieces;
  const std::int64_t* at = offsets.data_ptr<std::int64_t>();
  for (std::int64_t graph = 0; graph + 1 < offsets.numel(); ++graph) {
    for (std::int64_t begin = at[graph]; begin < at[graph + 1]; begin += kPieceNodes) {
      pieces.push_back({graph, begin, std::min(begin + kPieceNodes, at[graph + 1])});
    }
  }
  return pieces;
}

}  // namespace factorgcn::cpu
