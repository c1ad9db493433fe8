// Many graphs as one: node ids of graph g are shifted by graph_offsets[g], so a batch is a disjoint union.
//
// A batch may be padded (graph/padded_batch.h): the real graphs come first, dummy graphs that nothing may depend on
// come after them, and `counts` tells how many are real.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"
#include "factorgcn/graph/graph.h"

namespace factorgcn {

struct FACTORGCN_API GraphBatch {
  Adjacency edges;
  at::Tensor graph_offsets;  ///< int64 [G + 1]; nodes of graph g are graph_offsets[g] .. graph_offsets[g + 1]
  at::Tensor features;       ///< float [N, F], dense or sparse (graph/sparse_features.h), or int64 [N]
  at::Tensor edge_types;     ///< int32 [E] in the order of in-edges; undefined where edges have none
  at::Tensor edge_weights;   ///< float [E] in the order of in-edges; undefined where edges have none
  at::Tensor counts;         ///< int64 [3]: real graphs, nodes and edges, where the batch is; undefined: all are real

  /// Where the numbers of real graphs and nodes lie: int64 [1], undefined where all are real. To be read on the device.
  at::Tensor real_graphs() const { return counts.defined() ? counts.narrow(0, 0, 1) : counts; }
  at::Tensor real_nodes() const { return counts.defined() ? counts.narrow(0, 1, 1) : counts; }
  at::Tensor real_edges() const { return counts.defined() ? counts.narrow(0, 2, 1) : counts; }

  /// Dummies included.
  std::int64_t num_graphs() const { return graph_offsets.defined() ? graph_offsets.numel() - 1 : 0; }
  std::int64_t num_nodes() const { return edges.num_nodes(); }
  std::int64_t num_edges() const { return edges.num_edges(); }
};

/// Checks graphs and joins them into one batch. All must have features of one type and width.
FACTORGCN_API GraphBatch make_batch(std::span<const Graph> graphs);

/// The same batch in the memory of another device; tensors that are there already are shared. Sparse features become
/// dense on the way to a GPU.
FACTORGCN_API GraphBatch move_batch(const GraphBatch& batch, at::Device device);

}  // namespace factorgcn
