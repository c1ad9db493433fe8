// The discriminator's loss and gradient on tiles of whole graphs.
#include "ops/cuda/discriminator_tile.cuh"
#include "ops/cuda/graph_tile_kernel.cuh"

namespace factorgcn::cuda {
namespace {

template <class T>
__device__ FACTORGCN_OUT_OF_LINE void discriminate_far_graph(DiscriminatorTiles<T> p, GraphPlace place,
                                                             std::int64_t graph, T* fixed, TileMemory<T> memory,
                                                             T* partials, bool first) {
  const Team team{int(threadIdx.x), kTileThreads};
  discriminate_graph<T, 0, 0, false, false>(team, p, place, graph, fixed, memory, partials, first);
}

template <class T, int kWidth, int kFactors>
__global__ void __launch_bounds__(kTileThreads, blocks_together(kFactors))
    discriminator(DiscriminatorTiles<T> p, TilePlan plan) {
  wait_for_previous();
  T* fixed = dynamic_shared<T>();
  const Team team{int(threadIdx.x), kTileThreads};
  const int factors = p.graphs.factors, maps = discriminator_maps(p.width, p.narrow, factors);
  T* second = fixed + p.narrow * (p.width + 1);
  load_map(team, p.first_weight, p.first_bias, p.width, p.narrow, fixed);
  load_map(team, p.second_weight, p.second_bias, p.narrow, p.width, second);
  load_map(team, p.classifier_weight, p.classifier_bias, p.width, factors, second + p.width * (p.narrow + 1));
  T* partials = p.partials + std::int64_t(blockIdx.x) * maps;
  for_each_graph(
      p.graphs, plan, p.scratch, fixed + plan.fixed_values,
      [&](std::int64_t graph, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
        discriminate_graph<T, kWidth, kFactors, true, false>(team, p, place, graph, fixed, memory, partials, first);
      },
      [&](std::int64_t graph, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
        discriminate_far_graph(p, place, graph, fixed, memory, partials, first);
      },
      [](const NodeRange&) {});
}

/// Each thread a fixed share of the graphs, then pairs of threads.
template <class T>
__global__ void __launch_bounds__(kTileThreads) sum_graph_losses(const double* losses, std::int64_t graphs, T* loss) {
  wait_for_previous();
  __shared__ double parts[kTileThreads];
  double sum = 0;
  for (std::int64_t graph = threadIdx.x; graph < graphs; graph += kTileThreads) {
    sum += losses[graph];
  }
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int step = kTileThreads / 2; step > 0; step /= 2) {
    if (int(threadIdx.x) < step) {
      parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *loss = T(parts[0]);
  }
}

}  // namespace

template <class T>
TilePlan plan_discriminator(const DiscriminatorTiles<T>& p) {
  const int factors = p.graphs.factors;
  return plan_tiles(p.graphs, discriminator_row(p.width, p.narrow, factors), discriminator_edge(factors),
                    discriminator_fixed(p.width, p.narrow, factors), discriminator_maps(p.width, p.narrow, factors),
                    blocks_together(factors));
}

template <class T>
void run_discriminator(const DiscriminatorTiles<T>& problem, const TilePlan& plan, T* loss, cudaStream_t stream) {
  with_known_widths<T, false>(0, problem.width, problem.graphs.factors, [&](auto known) {
    using K = decltype(known);
    launch_tiles(discriminator<T, K::width, K::factors>, problem, plan, stream);
  });
  launch(sum_graph_losses<T>, 1, kTileThreads, 0, stream, problem.losses, problem.graphs.graphs, loss);
}

#define FACTORGCN_INSTANTIATE(T)                                         \
  template TilePlan plan_discriminator<T>(const DiscriminatorTiles<T>&); \
  template void run_discriminator<T>(const DiscriminatorTiles<T>&, const TilePlan&, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
