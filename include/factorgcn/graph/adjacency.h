// Edges of a directed graph, stored twice: by target (for forward passes) and by source (for backward passes).
//
// Both orders let a kernel gather instead of scatter: no atomics, and the same bits on every run.
//
// Edges lead from one table of nodes to itself, or from a table of sources to a table of targets (bipartite layers,
// sampled neighbourhoods, a part of a graph and its halo). Of two tables the offsets have different lengths; the
// aggregations of ops/ take both kinds, everything else takes one table.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API Adjacency {
  at::Tensor in_offsets;   ///< int64 [T + 1]; in-edges of target i are in_offsets[i] .. in_offsets[i + 1]
  at::Tensor in_sources;   ///< int32 [E]; where each in-edge comes from, in the order of in_offsets
  at::Tensor out_offsets;  ///< int64 [S + 1]; out-edges of source j, likewise
  at::Tensor out_targets;  ///< int32 [E]; where each out-edge goes to
  at::Tensor in_to_out;    ///< int64 [E]; position among the out-edges of each in-edge

  std::int64_t num_targets() const { return in_offsets.defined() ? in_offsets.numel() - 1 : 0; }
  std::int64_t num_sources() const { return out_offsets.defined() ? out_offsets.numel() - 1 : num_targets(); }
  std::int64_t num_nodes() const { return num_targets(); }  ///< of one table
  std::int64_t num_edges() const { return in_sources.defined() ? in_sources.numel() : 0; }
};

/// Builds both orders from a list of directed edges source[e] -> target[e]. Edges into one node keep their list order;
/// parallel edges and self loops are kept. `name` is used in errors: an id outside 0 .. num_nodes - 1 is refused.
/// Cost: O(N + E), counting sorts.
FACTORGCN_API Adjacency build_adjacency(std::int64_t num_nodes, std::span<const std::int32_t> source,
                                        std::span<const std::int32_t> target, const std::string& name = "graph");

/// The same from a table of sources to a table of targets.
FACTORGCN_API Adjacency build_adjacency(std::int64_t num_sources, std::int64_t num_targets,
                                        std::span<const std::int32_t> source, std::span<const std::int32_t> target,
                                        const std::string& name = "graph");

/// Throws Error unless the five arrays are those of one table and fit each other (types, lengths, offsets, ids in
/// range, permutation). Cost: O(N + E).
FACTORGCN_API void check_adjacency(const Adjacency& adjacency, const std::string& name = "graph");

/// In-degree of each target, clamped at 1, to the power -1/2: float tensor [T] of the given type.
FACTORGCN_API at::Tensor inverse_sqrt_in_degree(const Adjacency& adjacency, at::ScalarType type = at::kFloat);

}  // namespace factorgcn
