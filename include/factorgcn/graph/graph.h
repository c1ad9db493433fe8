// One graph as a user writes it down: nodes, directed edges, node features.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API Graph {
  std::string name = "graph";        ///< used in error messages
  std::int64_t num_nodes = 0;        ///< at least 1
  std::vector<std::int32_t> source;  ///< directed edges source[e] -> target[e]; may be empty
  std::vector<std::int32_t> target;
  /// float [num_nodes, F] with F >= 1, dense or sparse (graph/sparse_features.h), or int64 [num_nodes] node types
  at::Tensor features;
  std::vector<float> weight = {};  ///< of each edge; empty: edges have none
};

/// Throws Error, naming the graph and the value, for: no nodes, unequal edge lists, a node id out of range, features
/// of another length, 0 feature columns, NaN or infinite features or weights, negative node types. Isolated nodes, a
/// single node, no edges, self loops and parallel edges are legal.
FACTORGCN_API void check_graph(const Graph& graph);

/// Adds every edge's reverse, with its weight, where it is missing.
FACTORGCN_API void make_undirected(Graph& graph);

/// Adds a self loop to each node that has none. Its weight is the mean of the weights there are, or 1.
FACTORGCN_API void add_self_loops(Graph& graph);

}  // namespace factorgcn
