// What the kernels on tiles of whole graphs share: how a block walks its graphs, and how the work is cut.
#pragma once

#include <type_traits>

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/graph_tile.cuh"
#include "ops/cuda/multiprocessors.h"

namespace factorgcn::cuda {

// For what is rare and would take registers from the rest.
#ifdef __CUDACC__
#define FACTORGCN_OUT_OF_LINE __noinline__
#else
#define FACTORGCN_OUT_OF_LINE
#endif

constexpr int kTileThreads = 256;

/// A block's share of the graphs: near(graph, place, memory, first) in shared memory, then, for graphs that are too
/// large for it, far(...) in the graph's own part of the scratch. `first` is true for a block's first graph;
/// prefetch(nodes) may ask for what the next graph will read. Large graphs are rare: in a loop of their own they take
/// no registers from the others.
template <class T, class Near, class Far, class Prefetch>
__device__ __forceinline__ void for_each_graph(const TileGraphs<T>& graphs, const TilePlan& plan, void* scratch,
                                               T* tile, const Near& near, const Far& far, const Prefetch& prefetch) {
  const auto fits = [&](const GraphPlace& place) {
    return place.rows <= plan.most_rows && place.edges <= plan.most_edges;
  };
  int* numbers = reinterpret_cast<int*>(tile + plan.most_rows * plan.row_values + plan.most_edges * plan.edge_values);
  bool first = true, all_fit = true;
  // Where the next graph lies is asked for two graphs ahead, its edges one ahead: nobody waits for the answers.
  NodeRange next = nodes_of_graph(graphs, blockIdx.x),
            after = nodes_of_graph(graphs, blockIdx.x + std::int64_t(gridDim.x));
  GraphPlace coming = place_of_nodes(graphs, next);
  for (std::int64_t graph = blockIdx.x; graph < graphs.graphs; graph += gridDim.x) {
    const GraphPlace place = coming;
    next = after;
    coming = place_of_nodes(graphs, next);
    after = nodes_of_graph(graphs, graph + 2 * std::int64_t(gridDim.x));
    prefetch(next);
    if (!fits(place)) {
      all_fit = false;
      continue;
    }
    near(graph, place, TileMemory<T>{tile, numbers, plan.most_rows, plan.most_edges}, first);
    first = false;
    __syncthreads();
  }
  if (all_fit) {
    return;
  }
  for (std::int64_t graph = blockIdx.x; graph < graphs.graphs; graph += gridDim.x) {
    const GraphPlace place = place_of_nodes(graphs, nodes_of_graph(graphs, graph));
    if (fits(place)) {
      continue;
    }
    T* values = static_cast<T*>(scratch);
    int* far_numbers =
        reinterpret_cast<int*>(values + graphs.nodes * plan.row_values + graphs.edges * plan.edge_values) +
        2 * (place.first_node + graph + place.first_edge);
    values += place.first_node * plan.row_values + place.first_edge * plan.edge_values;
    far(graph, place, TileMemory<T>{values, far_numbers, place.rows, place.edges}, first);
    first = false;
    __syncthreads();
  }
}

/// Blocks of a multiprocessor that registers suffice for: with two factors, rows are so wide that threads want more.
__host__ __device__ constexpr int blocks_together(int factors) { return factors == 2 ? 2 : 3; }

/// As many blocks per multiprocessor, up to `most_together`, as leave room for graphs somewhat larger than the mean.
template <class T>
TilePlan plan_tiles(const TileGraphs<T>& graphs, int row_values, int edge_values, int fixed_values,
                    std::int64_t block_partials, int most_together) {
  constexpr std::size_t kSharedOfOne = 228 * 1024,
                        kOwn = 1024;  // of a multiprocessor; what each block takes for itself
  TilePlan plan;
  plan.row_values = row_values;
  plan.edge_values = edge_values;
  plan.fixed_values = (fixed_values + 3) / 4 * 4;
  if (graphs.graphs == 0) {
    plan.fits = true;
    return plan;
  }
  const double mean_rows = double(graphs.nodes) / double(graphs.graphs);
  plan.most_edges = int(1.5 * double(graphs.edges) / double(graphs.graphs)) + 32;
  const std::size_t row_bytes = row_values * sizeof(T) + 2 * sizeof(int);
  const std::size_t edge_bytes = edge_values * sizeof(T) + 2 * sizeof(int);
  const std::size_t other_bytes = plan.fixed_values * sizeof(T) + plan.most_edges * edge_bytes + 2 * sizeof(int);
  for (int together = most_together; together > 0; --together) {
    const std::size_t limit = kSharedOfOne / together - kOwn;
    if (other_bytes >= limit) {
      continue;
    }
    const auto rows = static_cast<int>((limit - other_bytes) / row_bytes);
    if (rows < mean_rows * (together == 1 ? 1.0 : 1.35)) {
      continue;
    }
    const int enough = int(4 * mean_rows) + 16;
    plan.most_rows = rows < enough ? rows : enough;
    plan.shared = plan.most_rows * row_bytes + other_bytes;
    // As few blocks as are through in the same number of rounds: the others would load the maps for less.
    const std::int64_t most = std::int64_t(kMultiprocessors) * together, rounds = (graphs.graphs + most - 1) / most;
    plan.blocks = static_cast<int>((graphs.graphs + rounds - 1) / rounds);
    plan.partials = block_partials * plan.blocks;
    plan.scratch = (graphs.nodes * row_values + graphs.edges * edge_values) * sizeof(T) +
                   2 * (graphs.nodes + graphs.graphs + graphs.edges) * sizeof(int);
    plan.fits = true;
    break;
  }
  return plan;
}

template <class Kernel, class Problem>
void launch_tiles(Kernel kernel, const Problem& problem, const TilePlan& plan, cudaStream_t stream) {
  if (plan.blocks == 0) {
    return;
  }
  if (plan.shared > 48 * 1024) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(plan.shared));
  }
  launch(kernel, plan.blocks, kTileThreads, plan.shared, stream, problem, plan);
}

/// Numbers as types, to choose a kernel by.
template <int kIn, int kWidth, int kFactors>
struct KnownWidths {
  static constexpr int in = kIn, width = kWidth, factors = kFactors;
};

/// Calls body with the widths as constants where they are those of the published networks on ZINC and the synthetic
/// graphs, else with zeros. kWithIn: the input's width matters too.
template <class T, bool kWithIn, class Body>
void with_known_widths(int in, int width, int factors, const Body& body) {
  if constexpr (std::is_same_v<T, float>) {
    bool done = false;
    const auto attempt = [&](auto known) {
      using K = decltype(known);
      if (!done && K::width == width && K::factors == factors && (!kWithIn || K::in == in)) {
        body(known);
        done = true;
      }
    };
    if constexpr (kWithIn) {
      attempt(KnownWidths<144, 18, 8>{});
      attempt(KnownWidths<36, 18, 8>{});
      attempt(KnownWidths<144, 36, 4>{});
      attempt(KnownWidths<144, 72, 2>{});
      attempt(KnownWidths<15, 8, 4>{});
      attempt(KnownWidths<32, 16, 2>{});
    } else {
      attempt(KnownWidths<0, 18, 8>{});
      attempt(KnownWidths<0, 36, 4>{});
      attempt(KnownWidths<0, 72, 2>{});
      attempt(KnownWidths<0, 8, 4>{});
      attempt(KnownWidths<0, 16, 2>{});
    }
    if (done) {
      return;
    }
  }
  body(KnownWidths<0, 0, 0>{});
}

}  // namespace factorgcn::cuda
