// The disentangle layer's forward pass on tiles of whole graphs.
#include "ops/cuda/graph_tile_kernel.cuh"
#include "ops/cuda/layer_tile.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kForwardTogether = 3;

template <class T, int kIn, int kWidth, int kFactors>
__global__ void __launch_bounds__(kTileThreads, kForwardTogether) layer_forward(LayerTiles<T> p, TilePlan plan) {
  wait_for_previous();
  T* fixed = dynamic_shared<T>();
  const Team team{int(threadIdx.x), kTileThreads};
  load_map(team, p.weight, p.bias, p.in, p.width, fixed);
  load_map(team, p.gate_weight, p.gate_bias, p.width, 2 * p.graphs.factors, fixed + p.width * (p.in + 1));
  for_each_graph(
      p.graphs, plan, p.scratch, fixed + plan.fixed_values,
      [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool) {
        layer_forward_graph<T, kIn, kWidth, kFactors, true, false>(team, p, place, fixed, memory);
      },
      [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool) {
        layer_forward_graph<T, 0, 0, 0, false, false>(team, p, place, fixed, memory);
      },
      [&](const NodeRange& nodes) { prefetch_rows(team, p.x, nodes, p.in); });
}

}  // namespace

template <class T>
TilePlan plan_layer_forward(const LayerTiles<T>& p) {
  const int factors = p.graphs.factors;
  return plan_tiles(p.graphs, layer_forward_row(p.in, p.width, factors), layer_forward_edge(factors),
                    layer_fixed(p.in, p.width, factors), 0, kForwardTogether);
}

template <class T>
void run_layer_forward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream) {
  with_known_widths<T, true>(problem.in, problem.width, problem.graphs.factors, [&](auto known) {
    using K = decltype(known);
    launch_tiles(layer_forward<T, K::in, K::width, K::factors>, problem, plan, stream);
  });
}

#define FACTORGCN_INSTANTIATE(T)                                 \
  template TilePlan plan_layer_forward<T>(const LayerTiles<T>&); \
  template void run_layer_forward<T>(const LayerTiles<T>&, const TilePlan&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
