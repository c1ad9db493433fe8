// Where each graph, node and edge of a padded batch lies: plain arithmetic on plain pointers, without libtorch,
// compiled for the CPU and for the GPU, so that both assemble the same batch and one can be tested for the other.
//
// Real graphs come first. The rest of the nodes is spread evenly over the remaining graphs (some may stay empty), and
// the rest of the edges evenly over those nodes as self loops: a padded batch is an ordinary batch with dummy graphs at
// its end, and nothing leads from them to the real ones.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define FACTORGCN_ANYWHERE __host__ __device__ inline
#else
#define FACTORGCN_ANYWHERE inline
#endif

namespace factorgcn {

/// Class of rows that no loss and no metric may count; libtorch's losses skip it too.
inline constexpr std::int64_t kUncountedClass = -100;

struct AssemblyPlan {
  // The data set: graph/padded_batch.h, PackedGraphs. Rows of features and targets are copied as 32-bit words.
  const std::int64_t* node_offsets = nullptr;
  const std::int64_t* edge_offsets = nullptr;
  const std::int32_t* in_starts = nullptr;
  const std::int32_t* out_starts = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int32_t* in_to_out = nullptr;
  const std::int32_t* edge_types = nullptr;  // by target; null where edges have none
  const float* edge_weights = nullptr;       // likewise
  const std::uint32_t* features = nullptr;
  std::int64_t feature_words = 0;
  const std::int64_t* classes = nullptr;  // one of these two is null
  const std::uint32_t* target_rows = nullptr;
  std::int64_t target_words = 0;  // of target_rows
  bool node_targets = false;      // classes are of nodes
  const bool* counted = nullptr;  // of all nodes; null: all count

  // Which graphs: batch `*position` of the list's pieces of batch_size.
  const std::int64_t* order = nullptr;
  std::int64_t order_size = 0, batch_size = 0;
  const std::int64_t* position = nullptr;

  // The batch: how much it holds, and its arrays.
  std::int64_t graphs = 0, nodes = 0, edges = 0;
  std::int64_t* counts = nullptr;         // [3]
  std::int64_t* graph_offsets = nullptr;  // [graphs + 1]
  std::int64_t* edge_firsts = nullptr;    // [graphs + 1]: first edge of each real graph
  std::int64_t* node_places = nullptr;    // [nodes]: the node's row in the data set, -1 for padding
  std::int64_t* in_offsets = nullptr;     // [nodes + 1]
  std::int64_t* out_offsets = nullptr;    // [nodes + 1]
  std::int32_t* batch_sources = nullptr;  // [edges]
  std::int32_t* batch_targets = nullptr;  // [edges]
  std::int64_t* batch_in_to_out = nullptr;
  std::int32_t* batch_edge_types = nullptr;
  float* batch_edge_weights = nullptr;
  std::uint32_t* batch_features = nullptr;
  std::int64_t* batch_classes = nullptr;
  std::uint32_t* batch_target_rows = nullptr;
};

FACTORGCN_ANYWHERE std::int64_t real_graphs_of(const AssemblyPlan& plan) {
  const std::int64_t left = plan.order_size - *plan.position * plan.batch_size;
  return left < 0 ? 0 : (left < plan.batch_size ? left : plan.batch_size);
}

/// The data set's number of the batch's real graph `slot`.
FACTORGCN_ANYWHERE std::int64_t graph_at(const AssemblyPlan& plan, std::int64_t slot) {
  return plan.order[*plan.position * plan.batch_size + slot];
}

/// Where share `index` of `shares` even shares of `total` begins; index = shares gives the end.
FACTORGCN_ANYWHERE std::int64_t share_begin(std::int64_t total, std::int64_t shares, std::int64_t index) {
  return total * index / shares;
}

/// The share that holds `item`: share_begin(share) <= item < share_begin(share + 1).
FACTORGCN_ANYWHERE std::int64_t share_of(std::int64_t total, std::int64_t shares, std::int64_t item) {
  return ((item + 1) * shares - 1) / total;
}

/// The last slot whose first item is not after `item`, among slots 0 .. count - 1; empty slots are never the answer.
FACTORGCN_ANYWHERE std::int64_t slot_of(const std::int64_t* firsts, std::int64_t count, std::int64_t item) {
  std::int64_t low = 0, high = count - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (firsts[middle] <= item) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Graph `slot` behind the real ones, or the end of the last; the real graphs' places must be known.
FACTORGCN_ANYWHERE void place_dummy_graph(const AssemblyPlan& plan, std::int64_t real_graphs, std::int64_t real_nodes,
                                          std::int64_t slot) {
  plan.graph_offsets[slot] =
      real_nodes + share_begin(plan.nodes - real_nodes, plan.graphs - real_graphs, slot - real_graphs);
}

/// One value of the targets of graph `slot`, for tasks on graphs.
FACTORGCN_ANYWHERE void place_graph_target(const AssemblyPlan& plan, std::int64_t real_graphs, std::int64_t slot,
                                           std::int64_t word) {
  const bool real = slot < real_graphs;
  if (plan.classes != nullptr) {
    plan.batch_classes[slot] = real ? plan.classes[graph_at(plan, slot)] : kUncountedClass;
  } else {
    plan.batch_target_rows[slot * plan.target_words + word] =
        real ? plan.target_rows[graph_at(plan, slot) * plan.target_words + word] : 0U;
  }
}

/// Node `node` of the batch, which lies in real graph `slot`.
FACTORGCN_ANYWHERE void place_real_node(const AssemblyPlan& plan, std::int64_t slot, std::int64_t node) {
  const std::int64_t from = plan.node_offsets[graph_at(plan, slot)] + node - plan.graph_offsets[slot];
  plan.node_places[node] = from;
  plan.in_offsets[node] = plan.edge_firsts[slot] + plan.in_starts[from];
  plan.out_offsets[node] = plan.edge_firsts[slot] + plan.out_starts[from];
  if (plan.node_targets) {
    const bool counts = plan.counted == nullptr || plan.counted[from];
    plan.batch_classes[node] = counts ? plan.classes[from] : kUncountedClass;
  }
}

/// A node behind the real ones, or (node = plan.nodes) the end of the last one's edges.
FACTORGCN_ANYWHERE void place_padding_node(const AssemblyPlan& plan, std::int64_t real_nodes, std::int64_t real_edges,
                                           std::int64_t node) {
  const std::int64_t padding = plan.nodes - real_nodes;
  const std::int64_t first =
      padding == 0 ? real_edges : real_edges + share_begin(plan.edges - real_edges, padding, node - real_nodes);
  plan.in_offsets[node] = first;
  plan.out_offsets[node] = first;
  if (node < plan.nodes) {
    plan.node_places[node] = -1;
    if (plan.node_targets) {
      plan.batch_classes[node] = kUncountedClass;
    }
  }
}

/// Edge `edge` of the batch, which lies in real graph `slot`.
FACTORGCN_ANYWHERE void place_real_edge(const AssemblyPlan& plan, std::int64_t slot, std::int64_t edge) {
  const std::int64_t from = plan.edge_offsets[graph_at(plan, slot)] + edge - plan.edge_firsts[slot];
  const std::int32_t first_node = static_cast<std::int32_t>(plan.graph_offsets[slot]);
  plan.batch_sources[edge] = plan.in_sources[from] + first_node;
  plan.batch_targets[edge] = plan.out_targets[from] + first_node;
  plan.batch_in_to_out[edge] = plan.in_to_out[from] + plan.edge_firsts[slot];
  if (plan.edge_types != nullptr) {
    plan.batch_edge_types[edge] = plan.edge_types[from];
  }
  if (plan.edge_weights != nullptr) {
    plan.batch_edge_weights[edge] = plan.edge_weights[from];
  }
}

FACTORGCN_ANYWHERE void place_padding_edge(const AssemblyPlan& plan, std::int64_t real_nodes, std::int64_t real_edges,
                                           std::int64_t edge) {
  const std::int64_t node = real_nodes + share_of(plan.edges - real_edges, plan.nodes - real_nodes, edge - real_edges);
  plan.batch_sources[edge] = static_cast<std::int32_t>(node);
  plan.batch_targets[edge] = static_cast<std::int32_t>(node);
  plan.batch_in_to_out[edge] = edge;
  if (plan.edge_types != nullptr) {
    plan.batch_edge_types[edge] = 0;
  }
  if (plan.edge_weights != nullptr) {
    plan.batch_edge_weights[edge] = 1.0F;
  }
}

/// One word of a node's features; zeros for padding.
FACTORGCN_ANYWHERE void place_feature(const AssemblyPlan& plan, std::int64_t node, std::int64_t word) {
  const std::int64_t from = plan.node_places[node];
  plan.batch_features[node * plan.feature_words + word] =
      from < 0 ? 0U : plan.features[from * plan.feature_words + word];
}

}  // namespace factorgcn

#undef FACTORGCN_ANYWHERE
