// Graphs as undirected pairs of nodes: what the aligned model reads of a batch.
//
// A pair stands for all edges between two different nodes, whichever way they lead; self loops are left out. Its
// multiplicity is how many parts may lie on it: the larger one of what the two directions add up to, each edge counting
// its weight, or 1 without weights. Parallel edges add up, and an edge and its reverse are one.
//
// Pairs are built in main memory, O(E log d) for degrees of d, and sent to where the model is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn::aligned {

struct NodePair {
  std::int32_t left, right;  ///< left < right
  float multiplicity;
};

struct FACTORGCN_API PairGraphs {
  Adjacency arcs;            ///< each pair in both directions, by target
  at::Tensor graph_offsets;  ///< int64 [G + 1]; nodes of graph g
  at::Tensor pair_offsets;   ///< int64 [G + 1]; pairs of graph g
  at::Tensor ends;           ///< int64 [2 P]; the pairs' left ends, then their right ones
  at::Tensor left, right;    ///< int64 [P]; these two
  at::Tensor graph_of_pair;  ///< int64 [P]
  at::Tensor pair_of_arc;    ///< int64 [2 P]
  at::Tensor end_of_arc;     ///< int64 [2 P]; where the arc's target stands among `ends`
  at::Tensor multiplicity;   ///< float [P]
  at::Tensor walks;          ///< float [P, 3]: numbers of walks of length 2, 3 and 4 between a pair's ends

  std::int64_t num_graphs() const { return graph_offsets.numel() - 1; }
  std::int64_t num_nodes() const { return arcs.num_nodes(); }
  std::int64_t num_pairs() const { return left.numel(); }
};

/// `pairs`: each once, by rising right and then left, both in the same graph; graph_offsets in main memory.
FACTORGCN_API PairGraphs connect_pairs(std::span<const NodePair> pairs, const at::Tensor& graph_offsets);

struct FACTORGCN_API BatchPairs {
  PairGraphs graphs;
  at::Tensor pair_of_edge;  ///< int64 [E]: the pair of each of the batch's in-edges; -1 for self loops
};

/// The pairs of a batch that is in main memory. `weighted`: multiplicities come from the edges' weights, which must not
/// be negative.
FACTORGCN_API BatchPairs pairs_of(const GraphBatch& batch, bool weighted);

/// The same in the memory of another device.
PairGraphs move_pairs(const PairGraphs& graphs, at::Device device);

}  // namespace factorgcn::aligned
