// A whole data set's graphs in a few flat arrays, from which batches are cut by copying.
//
// Each graph's edges are kept in both orders of graph/adjacency.h with node ids and edge positions that start at 0 in
// that graph, so a batch is assembled from any list of graphs without sorting.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn {

struct FACTORGCN_API GraphStore {
  at::Tensor node_offsets;  ///< int64 [G + 1]
  at::Tensor edge_offsets;  ///< int64 [G + 1]
  at::Tensor in_degrees;    ///< int32 [N]
  at::Tensor in_sources;    ///< int32 [E], ids local to the graph, by target
  at::Tensor out_degrees;   ///< int32 [N]
  at::Tensor out_targets;   ///< int32 [E], ids local to the graph, by source
  at::Tensor in_to_out;     ///< int32 [E], positions local to the graph
  at::Tensor features;      ///< float [N, F], dense or sparse (graph/sparse_features.h), or int64 [N]
  at::Tensor edge_weights;  ///< float [E] by target; undefined where edges have none
  at::Tensor edge_types;    ///< int32 [E] by target, from 0; undefined where edges have none. Models may see them

  std::int64_t num_graphs() const { return node_offsets.defined() ? node_offsets.numel() - 1 : 0; }
  std::int64_t num_nodes() const { return features.defined() ? features.size(0) : 0; }
  std::int64_t num_edges() const { return in_sources.defined() ? in_sources.numel() : 0; }
};

/// Checks and packs graphs; all must have features of one type and width, and weights or none. Cost: O(N F + E).
FACTORGCN_API GraphStore make_store(std::span<const Graph> graphs);

/// Throws Error unless the arrays fit each other (types, lengths, offsets, ids in range, permutations). For stores that
/// were not made by make_store(), e.g. read from a file. Cost: O(N + E).
FACTORGCN_API void check_store(const GraphStore& store, const std::string& name = "graphs");

/// The batch of the given graphs, in that order; an index may occur twice, and no index at all gives a batch of no
/// graphs. Refuses an index out of range. Cost: one copy of what is selected.
FACTORGCN_API GraphBatch select_graphs(const GraphStore& store, std::span<const std::int64_t> graphs);

}  // namespace factorgcn
