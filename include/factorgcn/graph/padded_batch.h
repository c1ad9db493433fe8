// Batches of one fixed shape, put together in place from a list of graph numbers.
//
// A recorded training step (gpu/captured_step.h) sees the same shapes and addresses each time, so batches of different
// graphs must fill the same arrays. A padded batch is an ordinary batch with dummy graphs at its end: what is left of
// the nodes is spread over the unused graphs, what is left of the edges over those nodes as self loops. Nothing leads
// from them to the real graphs; whatever averages over nodes or graphs must leave them out (GraphBatch::counts).
//
// Assembling never waits for a GPU: which graphs are taken is read where the batch is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/graph/graph_store.h"

namespace factorgcn {

/// What batches are assembled from, all on one device: a GraphStore with first edges in place of degrees, and targets.
struct FACTORGCN_API PackedGraphs {
  at::Tensor node_offsets, edge_offsets;          ///< int64 [G + 1]
  at::Tensor in_starts, out_starts;               ///< int32 [N]: a node's first in- and out-edge, counted in its graph
  at::Tensor in_sources, out_targets, in_to_out;  ///< int32 [E], as in GraphStore
  at::Tensor edge_types;                          ///< int32 [E] by target; undefined where edges have none
  at::Tensor edge_weights;                        ///< float [E] by target; undefined where edges have none
  at::Tensor features;                            ///< float [N, F] or int64 [N]
  at::Tensor targets;                             ///< float [G, C], int64 [G] or, with node_targets, int64 [N]
  bool node_targets = false;

  std::int64_t bytes() const;
};

/// Cost: O(N + E); what can be shared with the store is.
FACTORGCN_API PackedGraphs pack_graphs(const GraphStore& store, const at::Tensor& targets, bool node_targets);

FACTORGCN_API PackedGraphs move_packed(const PackedGraphs& packed, at::Device device);

struct FACTORGCN_API BatchCapacity {
  std::int64_t graphs = 0, nodes = 0, edges = 0;

  /// True where a batch of that many real ones fits: at least one graph and one node stay for the padding.
  bool holds(std::int64_t real_graphs, std::int64_t real_nodes, std::int64_t real_edges) const {
    return real_graphs < graphs && real_nodes < nodes && real_edges <= edges;
  }
  bool operator==(const BatchCapacity&) const = default;
};

/// Capacities for batches of `batch_size` drawn from `graphs` without replacement, the smallest first: batches a little
/// above the mean, well above it, and the largest possible. They depend on the graphs' sizes alone, not on any order.
FACTORGCN_API std::vector<BatchCapacity> drawn_capacities(const GraphStore& store, std::span<const std::int64_t> graphs,
                                                          std::int64_t batch_size);

/// The one capacity that holds every batch of `graphs` cut in this very order.
FACTORGCN_API BatchCapacity listed_capacity(const GraphStore& store, std::span<const std::int64_t> graphs,
                                            std::int64_t batch_size);

struct FACTORGCN_API PaddedBatch {
  BatchCapacity capacity;
  GraphBatch graphs;                    ///< all capacities are its sizes; counts is set
  at::Tensor targets;                   ///< rows of dummies are 0 or, for classes, -100, which losses leave out
  at::Tensor buffer;                    ///< the one piece of memory that all of these are views of
  at::Tensor edge_firsts, node_places;  ///< needed while assembling
};

/// Bytes of a batch's buffer.
FACTORGCN_API std::int64_t padded_batch_bytes(const PackedGraphs& packed, const BatchCapacity& capacity);

/// A batch in memory that is there: uint8, of padded_batch_bytes(). Its contents follow with assemble_batch().
FACTORGCN_API PaddedBatch padded_batch_in(const PackedGraphs& packed, const BatchCapacity& capacity,
                                          const at::Tensor& buffer);

/// A batch in new memory of `device`.
FACTORGCN_API PaddedBatch make_padded_batch(const PackedGraphs& packed, const BatchCapacity& capacity,
                                            at::Device device);

/// Which graphs make up a batch: piece `position` of the list cut into pieces of batch_size.
struct FACTORGCN_API BatchChoice {
  at::Tensor order;     ///< int64 [n]: numbers of graphs, all in range
  at::Tensor position;  ///< int64 [1]
  std::int64_t batch_size = 0;
  at::Tensor counted;  ///< bool [N] over all nodes: classes of others become -100; undefined: all count
};

/// Fills the batch. Everything must be on the batch's device, and the batch must hold what is chosen: nothing is
/// checked on a GPU. Cost: one copy of what is selected.
FACTORGCN_API void assemble_batch(const PackedGraphs& packed, const BatchChoice& choice, const PaddedBatch& batch);

}  // namespace factorgcn
