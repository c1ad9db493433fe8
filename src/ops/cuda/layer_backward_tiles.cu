// The disentangle layer's backward pass on tiles of whole graphs.
#include "ops/cuda/graph_tile_kernel.cuh"
#include "ops/cuda/layer_tile.cuh"

namespace factorgcn::cuda {
namespace {

template <class T, int kIn, int kWidth, int kFactors>
__global__ void __launch_bounds__(kTileThreads, blocks_together(kFactors))
    layer_backward(LayerTiles<T> p, TilePlan plan) {
  wait_for_previous();
  T* fixed = dynamic_shared<T>();
  const Team team{int(threadIdx.x), kTileThreads};
  load_map(team, p.weight, p.bias, p.in, p.width, fixed);
  load_map(team, p.gate_weight, p.gate_bias, p.width, 2 * p.graphs.factors, fixed + p.width * (p.in + 1));
  T* partials = p.partials + std::int64_t(blockIdx.x) * layer_fixed(p.in, p.width, p.graphs.factors);
  for_each_graph(
      p.graphs, plan, p.scratch, fixed + plan.fixed_values,
      [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
        layer_backward_graph<T, kIn, kWidth, kFactors, true, false>(team, p, place, fixed, memory, partials, first);
      },
      [&](std::int64_t, const GraphPlace& place, const TileMemory<T>& memory, bool first) {
        layer_backward_graph<T, 0, 0, 0, false, false>(team, p, place, fixed, memory, partials, first);
      },
      [&](const NodeRange& nodes) {
        prefetch_rows(team, p.grad_out, nodes, p.graphs.factors * p.width);
        prefetch_rows(team, p.x, nodes, p.in);
      });
}

}  // namespace

template <class T>
TilePlan plan_layer_backward(const LayerTiles<T>& p) {
  const int factors = p.graphs.factors, fixed = layer_fixed(p.in, p.width, factors);
  return plan_tiles(p.graphs, layer_backward_row(p.in, p.width, factors), layer_backward_edge(factors), fixed, fixed,
                    blocks_together(factors));
}

template <class T>
void run_layer_backward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream) {
  with_known_widths<T, true>(problem.in, problem.width, problem.graphs.factors, [&](auto known) {
    using K = decltype(known);
    launch_tiles(layer_backward<T, K::in, K::width, K::factors>, problem, plan, stream);
  });
}

#define FACTORGCN_INSTANTIATE(T)                                  \
  template TilePlan plan_layer_backward<T>(const LayerTiles<T>&); \
  template void run_layer_backward<T>(const LayerTiles<T>&, const TilePlan&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
