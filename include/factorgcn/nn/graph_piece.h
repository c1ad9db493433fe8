// A part of a graph as a network reads it (nn/part_exchange.h says what parts are).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn {

struct FACTORGCN_API GraphPiece {
  /// One graph of the part's own nodes, with their features; edges come from these and, behind them, from the halo.
  GraphBatch batch;
  std::int64_t rows = 0;       ///< nodes of its own
  std::int64_t halo = 0;       ///< copies of other parts' nodes
  std::int64_t all_nodes = 0;  ///< of the whole graph
  at::Tensor degree_weights;   ///< float [rows + halo]: in-degree in the whole graph, at least 1, to the power -1/2
  std::uint64_t seed = 0;      ///< of this part's dropout in this pass
};

}  // namespace factorgcn
