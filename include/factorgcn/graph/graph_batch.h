// Many graphs as one: node ids of graph g are shifted by graph_offsets[g], so a batch is a disjoint union.
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
  at::Tensor features;       ///< float [N, F] or int64 [N]
  at::Tensor edge_types;     ///< int32 [E] in the order of in-edges; undefined where edges have none

  std::int64_t num_graphs() const { return graph_offsets.defined() ? graph_offsets.numel() - 1 : 0; }
  std::int64_t num_nodes() const { return edges.num_nodes(); }
  std::int64_t num_edges() const { return edges.num_edges(); }
};

/// Checks graphs and joins them into one batch. All must have features of one type and width.
FACTORGCN_API GraphBatch make_batch(std::span<const Graph> graphs);

/// The same batch in the memory of another device; tensors that are there already are shared.
FACTORGCN_API GraphBatch move_batch(const GraphBatch& batch, at::Device device);

}  // namespace factorgcn
