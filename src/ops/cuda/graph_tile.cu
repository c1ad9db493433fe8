// Launches of the kernels on tiles of whole graphs, how they are cut, and the sums of their partial results.
#include "ops/cuda/discriminator_tile.cuh"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/layer_tile.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 4;                         // threads per row and factor in the discriminator
constexpr int kLayerLanes = 8;                    // the layer's rows are twice as wide
constexpr int kMultiprocessors = 132;             // a fixed number: it decides which graphs a block sums
constexpr std::size_t kSharedOfOne = 228 * 1024;  // of a multiprocessor; each block takes 1 KiB for itself

extern __shared__ __align__(16) unsigned char shared_memory[];

/// A block's share of the graphs, each in shared memory or, where it is too large, in its own part of the scratch.
template <class T, class Work>
__device__ __forceinline__ void for_each_graph(const TileGraphs<T>& graphs, const TilePlan& plan, void* scratch,
                                               T* tile, const Work& work) {
  int* numbers = reinterpret_cast<int*>(tile + plan.most_rows * plan.row_values);
  bool first = true;
  for (std::int64_t graph = blockIdx.x; graph < graphs.graphs; graph += gridDim.x) {
    const GraphPlace place = place_of_graph(graphs, graph);
    if (place.rows <= plan.most_rows && place.edges <= plan.most_edges) {
      work(graph, place, TileMemory<T>{tile, numbers}, first);
    } else {
      T* values = static_cast<T*>(scratch);
      int* far_numbers = reinterpret_cast<int*>(values + graphs.nodes * plan.row_values) +
                         2 * (place.first_node + graph + place.first_edge);
      work(graph, place, TileMemory<T>{values + place.first_node * plan.row_values, far_numbers}, first);
    }
    first = false;
    __syncthreads();
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2) layer_forward(LayerTiles<T> p, TilePlan plan) {
  T* fixed = reinterpret_cast<T*>(shared_memory);
  const Team team{int(threadIdx.x), kThreads};
  load_map(team, p.weight, p.bias, p.in, p.width, fixed);
  load_map(team, p.gate_weight, p.gate_bias, p.width, 2 * p.graphs.factors, fixed + p.width * (p.in + 1));
  for_each_graph(p.graphs, plan, p.scratch, fixed + plan.fixed_values,
                 [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool) {
                   layer_forward_graph<T, kLayerLanes>(team, p, place, fixed, memory);
                 });
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2) layer_backward(LayerTiles<T> p, TilePlan plan) {
  T* fixed = reinterpret_cast<T*>(shared_memory);
  const Team team{int(threadIdx.x), kThreads};
  load_map(team, p.weight, p.bias, p.in, p.width, fixed);
  load_map(team, p.gate_weight, p.gate_bias, p.width, 2 * p.graphs.factors, fixed + p.width * (p.in + 1));
  T* partials = p.partials + std::int64_t(blockIdx.x) * layer_fixed(p.in, p.width, p.graphs.factors);
  for_each_graph(p.graphs, plan, p.scratch, fixed + plan.fixed_values,
                 [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
                   layer_backward_graph<T, kLayerLanes>(team, p, place, fixed, memory, partials, first);
                 });
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2) discriminator(DiscriminatorTiles<T> p, TilePlan plan) {
  T* fixed = reinterpret_cast<T*>(shared_memory);
  const Team team{int(threadIdx.x), kThreads};
  const int factors = p.graphs.factors, maps = discriminator_maps(p.width, p.narrow, factors);
  T* second = fixed + p.narrow * (p.width + 1);
  load_map(team, p.first_weight, p.first_bias, p.width, p.narrow, fixed);
  load_map(team, p.second_weight, p.second_bias, p.narrow, p.width, second);
  load_map(team, p.classifier_weight, p.classifier_bias, p.width, factors, second + p.width * (p.narrow + 1));
  T* partials = p.partials + std::int64_t(blockIdx.x) * maps;
  for_each_graph(p.graphs, plan, p.scratch, fixed + plan.fixed_values,
                 [&](std::int64_t graph, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
                   discriminate_graph<T, kLanes>(team, p, place, graph, fixed, memory, partials, first);
                 });
}

/// Each thread a fixed share of the graphs, then pairs of threads.
template <class T>
__global__ void __launch_bounds__(kThreads) sum_graph_losses(const double* losses, std::int64_t graphs, T* loss) {
  __shared__ double parts[kThreads];
  double sum = 0;
  for (std::int64_t graph = threadIdx.x; graph < graphs; graph += kThreads) {
    sum += losses[graph];
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step) {
      parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *loss = T(parts[0]);
  }
}

/// 8 threads per value, each a fixed share of the blocks, then those in order.
template <class T>
__global__ void __launch_bounds__(kThreads) sum_blocks(PartialSums<T> one, PartialSums<T> two) {
  const PartialSums<T>& p = blockIdx.y == 0 ? one : two;
  constexpr int kShares = 8, kValues = kThreads / kShares;
  __shared__ T shares[kShares][kValues];
  const int value = threadIdx.x % kValues, share = threadIdx.x / kValues;
  const std::int64_t at = std::int64_t(blockIdx.x) * kValues + value;
  T sum = 0;
  if (at < p.stride) {
#pragma unroll 8
    for (int block = share; block < p.blocks; block += kShares) {
      sum += p.partials[block * p.stride + at];
    }
  }
  shares[share][value] = sum;
  __syncthreads();
  if (share != 0 || at >= p.stride) {
    return;
  }
  T total = 0;
  for (int s = 0; s < kShares; ++s) {
    total += shares[s][value];
  }
  total *= p.scale != nullptr ? *p.scale : T(1);
  int m = 0;
  while (m + 1 < p.count && at >= p.maps[m + 1].offset) {
    ++m;
  }
  const MapGradient<T>& map = p.maps[m];
  const int local = int(at - map.offset), row = local / (map.columns + 1), column = local - row * (map.columns + 1);
  if (column < map.columns) {
    map.weight[row * map.columns + column] = total;
  } else {
    map.bias[row] = total;
  }
}

/// As many blocks per multiprocessor as leave room for graphs somewhat larger than the mean.
template <class T>
TilePlan plan_tiles(const TileGraphs<T>& graphs, int row_values, int fixed_values, std::int64_t block_partials) {
  TilePlan plan;
  plan.row_values = row_values;
  plan.fixed_values = (fixed_values + 3) / 4 * 4;
  if (graphs.graphs == 0) {
    plan.fits = true;
    return plan;
  }
  const double mean_rows = double(graphs.nodes) / double(graphs.graphs);
  plan.most_edges = int(2 * graphs.edges / graphs.graphs) + 64;
  const std::size_t row_bytes = row_values * sizeof(T) + 2 * sizeof(int);
  const std::size_t other_bytes = plan.fixed_values * sizeof(T) + 2 * (plan.most_edges + 1) * sizeof(int) + 64;
  for (const int together : {3, 2, 1}) {
    const std::size_t limit = kSharedOfOne / together - 1024;
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
    const std::int64_t most = std::int64_t(kMultiprocessors) * together;
    plan.blocks = static_cast<int>(graphs.graphs < most ? graphs.graphs : most);
    plan.partials = block_partials * plan.blocks;
    plan.scratch =
        graphs.nodes * row_values * sizeof(T) + 2 * (graphs.nodes + graphs.graphs + graphs.edges) * sizeof(int);
    plan.fits = true;
    break;
  }
  return plan;
}

template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  if (bytes > 48 * 1024) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  }
}

}  // namespace

template <class T>
TilePlan plan_layer_forward(const LayerTiles<T>& p) {
  const int factors = p.graphs.factors;
  return plan_tiles(p.graphs, layer_forward_row(p.in, p.width, factors), layer_fixed(p.in, p.width, factors), 0);
}

template <class T>
TilePlan plan_layer_backward(const LayerTiles<T>& p) {
  const int factors = p.graphs.factors, fixed = layer_fixed(p.in, p.width, factors);
  return plan_tiles(p.graphs, layer_backward_row(p.in, p.width, factors), fixed, fixed);
}

template <class T>
TilePlan plan_discriminator(const DiscriminatorTiles<T>& p) {
  const int factors = p.graphs.factors;
  return plan_tiles(p.graphs, discriminator_row(p.width, p.narrow, factors),
                    discriminator_fixed(p.width, p.narrow, factors), discriminator_maps(p.width, p.narrow, factors));
}

template <class T>
void run_layer_forward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream) {
  if (plan.blocks > 0) {
    allow_shared(layer_forward<T>, plan.shared);
    layer_forward<T><<<plan.blocks, kThreads, plan.shared, stream>>>(problem, plan);
  }
}

template <class T>
void run_layer_backward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream) {
  if (plan.blocks > 0) {
    allow_shared(layer_backward<T>, plan.shared);
    layer_backward<T><<<plan.blocks, kThreads, plan.shared, stream>>>(problem, plan);
  }
}

template <class T>
void run_discriminator(const DiscriminatorTiles<T>& problem, const TilePlan& plan, T* loss, cudaStream_t stream) {
  if (plan.blocks > 0) {
    allow_shared(discriminator<T>, plan.shared);
    discriminator<T><<<plan.blocks, kThreads, plan.shared, stream>>>(problem, plan);
  }
  sum_graph_losses<T><<<1, kThreads, 0, stream>>>(problem.losses, problem.graphs.graphs, loss);
}

template <class T>
void add_partial_sums(const PartialSums<T>& one, const PartialSums<T>& two, cudaStream_t stream) {
  constexpr int kValues = kThreads / 8;
  const std::int64_t most = one.stride > two.stride ? one.stride : two.stride;
  const auto blocks = static_cast<unsigned>((most + kValues - 1) / kValues);
  sum_blocks<T><<<dim3(blocks, two.count > 0 ? 2 : 1), kThreads, 0, stream>>>(one, two);
}

#define FACTORGCN_INSTANTIATE(T)                                                                       \
  template TilePlan plan_layer_forward<T>(const LayerTiles<T>&);                                       \
  template TilePlan plan_layer_backward<T>(const LayerTiles<T>&);                                      \
  template TilePlan plan_discriminator<T>(const DiscriminatorTiles<T>&);                               \
  template void run_layer_forward<T>(const LayerTiles<T>&, const TilePlan&, cudaStream_t);             \
  template void run_layer_backward<T>(const LayerTiles<T>&, const TilePlan&, cudaStream_t);            \
  template void run_discriminator<T>(const DiscriminatorTiles<T>&, const TilePlan&, T*, cudaStream_t); \
  template void add_partial_sums<T>(const PartialSums<T>&, const PartialSums<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
