// Padded batches put together on the GPU: one block sums up the graphs' sizes, then a thread per node, edge and word of
// features copies its own. The arithmetic is graph/padding.h's; only the running sums are cut differently here, and
// they are of integers.
#include "graph/cuda/assemble.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kScanThreads = 1024;

/// Inclusive running sum over a warp.
__device__ __forceinline__ std::int64_t warp_sum(std::int64_t value, int lane) {
  for (int step = 1; step < 32; step *= 2) {
    const std::int64_t before = __shfl_up_sync(~0u, value, step);
    value += lane >= step ? before : 0;
  }
  return value;
}

/// Graphs and counts, in one block.
__global__ void __launch_bounds__(kScanThreads) place_graphs(AssemblyPlan plan) {
  wait_for_previous();
  __shared__ std::int64_t warp_nodes[32], warp_edges[32];
  const std::int64_t real = real_graphs_of(plan);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::int64_t nodes_before = 0, edges_before = 0;  // of earlier rounds; the same in all threads
  for (std::int64_t base = 0; base < real; base += kScanThreads) {
    const std::int64_t slot = base + threadIdx.x;
    std::int64_t nodes = 0, edges = 0;
    if (slot < real) {
      const std::int64_t graph = graph_at(plan, slot);
      nodes = plan.node_offsets[graph + 1] - plan.node_offsets[graph];
      edges = plan.edge_offsets[graph + 1] - plan.edge_offsets[graph];
    }
    const std::int64_t nodes_through = warp_sum(nodes, lane), edges_through = warp_sum(edges, lane);
    if (lane == 31) {
      warp_nodes[warp] = nodes_through;
      warp_edges[warp] = edges_through;
    }
    __syncthreads();
    if (warp == 0) {
      warp_nodes[lane] = warp_sum(warp_nodes[lane], lane);
      warp_edges[lane] = warp_sum(warp_edges[lane], lane);
    }
    __syncthreads();
    if (slot < real) {
      plan.graph_offsets[slot] = nodes_before + (warp > 0 ? warp_nodes[warp - 1] : 0) + nodes_through - nodes;
      plan.edge_firsts[slot] = edges_before + (warp > 0 ? warp_edges[warp - 1] : 0) + edges_through - edges;
    }
    nodes_before += warp_nodes[31];
    edges_before += warp_edges[31];
    __syncthreads();
  }
  for (std::int64_t slot = real + threadIdx.x; slot <= plan.graphs; slot += kScanThreads) {
    place_dummy_graph(plan, real, nodes_before, slot);
    plan.edge_firsts[slot] = edges_before;
  }
  if (threadIdx.x == 0) {
    plan.counts[0] = real;
    plan.counts[1] = nodes_before;
    plan.counts[2] = edges_before;
  }
  if (!plan.node_targets) {
    const std::int64_t words = plan.classes != nullptr ? 1 : plan.target_words;
    for (std::int64_t i = threadIdx.x; i < plan.graphs * words; i += kScanThreads) {
      place_graph_target(plan, real, i / words, i % words);
    }
  }
}

__global__ void __launch_bounds__(kThreads) place_nodes(AssemblyPlan plan) {
  wait_for_previous();
  const std::int64_t node = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t real_nodes = plan.counts[1];
  if (node < real_nodes && node < plan.nodes) {
    place_real_node(plan, slot_of(plan.graph_offsets, plan.counts[0], node), node);
  } else if (node <= plan.nodes) {
    place_padding_node(plan, real_nodes, plan.counts[2], node);
  }
}

__global__ void __launch_bounds__(kThreads) place_edges(AssemblyPlan plan) {
  wait_for_previous();
  const std::int64_t edge = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (edge >= plan.edges) {
    return;
  }
  const std::int64_t real_edges = plan.counts[2];
  if (edge < real_edges) {
    place_real_edge(plan, slot_of(plan.edge_firsts, plan.counts[0], edge), edge);
  } else {
    place_padding_edge(plan, plan.counts[1], real_edges, edge);
  }
}

__global__ void __launch_bounds__(kThreads) place_features(AssemblyPlan plan) {
  wait_for_previous();
  const std::int64_t at = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (at < plan.nodes * plan.feature_words) {
    const std::int64_t node = at / plan.feature_words;
    place_feature(plan, node, at - node * plan.feature_words);
  }
}

unsigned blocks_for(std::int64_t work) { return static_cast<unsigned>((work + kThreads - 1) / kThreads); }

}  // namespace

void assemble(const AssemblyPlan& plan, cudaStream_t stream) {
  launch(place_graphs, 1, kScanThreads, 0, stream, plan);
  launch(place_nodes, blocks_for(plan.nodes + 1), kThreads, 0, stream, plan);
  if (plan.edges > 0) {
    launch(place_edges, blocks_for(plan.edges), kThreads, 0, stream, plan);
  }
  launch(place_features, blocks_for(plan.nodes * plan.feature_words), kThreads, 0, stream, plan);
}

}  // namespace factorgcn::cuda
