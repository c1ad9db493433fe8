// The choice of a layer's way. Figures are of whole training steps: docs/performance.md, docs/measurements/gpu.md.
#include "ops/layer_way.h"

#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/ops/disentangle_stack.h"
#include "ops/layer_tiles_schema.h"

namespace factorgcn {
namespace {

/// On a CPU.
bool suits_stack(const GraphBatch& batch, const LayerTask& task) {
  // Activations are applied where the next block reads, as a slope below 0. Tiles know nothing of rows to be left out
  // (the CPU meets padding where the GPU's way of training is tested, nowhere else). A graph too large for a tile would
  // leave the cache, and one thread would have all of it.
  return task.tiles && is_leaky(task.activation) && !batch.counts.defined() && fits_tiles(batch.graph_offsets);
}

/// On a GPU.
bool suits_tiles(const GraphBatch& batch, const at::Tensor& x, const LayerTask& task) {
  // A block takes a graph at a time: many small ones keep all blocks busy, few or large ones do not.
  constexpr std::int64_t kLeastGraphs = 32, kMostMeanNodes = 64, kMostMeanEdges = 512;
  const std::int64_t graphs = batch.num_graphs();
  if (graphs < kLeastGraphs || batch.num_nodes() > graphs * kMostMeanNodes ||
      batch.num_edges() > graphs * kMostMeanEdges) {
    return false;
  }
  // And a graph of mean size must fit a block's shared memory; one that is larger than that is slower, no more.
  static const auto fit = find_operation<LayerTilesFitSignature>("factorgcn::layer_tiles_fit");
  return fit.call(x, graphs, batch.num_edges(), task.width, task.factors, task.judged);
}

/// On a GPU.
bool suits_rows(const GraphBatch& batch, const at::Tensor& x, const LayerTask& task) {
  if (batch.num_nodes() == 0 || batch.num_graphs() == 0) {
    return false;  // there are no launches of nothing
  }
  static const auto fit = find_operation<LayerRowsFitSignature>("factorgcn::layer_rows_fit");
  return fit.call(x, task.width, task.factors);  // a row of all factors in a block's shared memory
}

}  // namespace

bool sums_first_convolution(const GraphBatch& batch, std::int64_t width, std::int64_t factors) {
  // Multiply-adds per node and narrow column: K * d from the output, d + degree * K when L1 h is summed directly.
  const double k = static_cast<double>(factors), d = static_cast<double>(width);
  const double degree = static_cast<double>(batch.num_edges()) / static_cast<double>(batch.num_nodes());
  return k * d > d + degree * k;
}

LayerWay layer_way(const GraphBatch& batch, const at::Tensor& x, const LayerTask& task) {
  if (x.dim() != 2 || is_sparse(x) || (task.judged && task.depth != 2)) {
    return LayerWay::kComposed;  // only the published discriminator, of two convolutions, is part of an operation
  }
  if (x.is_cpu()) {
    // Operations one by one went through memory between any two; with all blocks in tiles that stay in the cache zinc
    // went from 99.5 to 57.2 ms a step, pattern from 111 to 72, synth from 7.8 to 3.6. A large graph fits no cache, and
    // a pass over all its edges keeps every thread busy.
    return suits_stack(batch, task) ? LayerWay::kStack : LayerWay::kComposed;
  }
  if (!x.is_cuda()) {
    return LayerWay::kComposed;
  }
  if (suits_tiles(batch, x, task)) {
    return LayerWay::kTiles;  // zinc: 179 launches and 1.83 ms a step one by one, 55 and 1.02 in tiles
  }
  if (task.judged && sums_first_convolution(batch, task.width, task.factors)) {
    // The chain in rows takes A_k(L1 h) from the layer's output. Counted, not timed: on sparse graphs with wide factors
    // that is more arithmetic than the layer itself.
    return LayerWay::kComposed;
  }
  // A chain of 2 launches forward and 3 or 4 back, the discriminator beside it: at 10^5 edges a step is as long as its
  // chain of launches, 0.133 ms.
  return suits_rows(batch, x, task) ? LayerWay::kRows : LayerWay::kComposed;
}

std::vector<NodeWeights> weights_for(LayerWay way, const Adjacency& edges, EdgeNorm norm, at::ScalarType type,
                                     std::int64_t layers) {
  if (way == LayerWay::kRows) {  // the other ways have no use for what layers in rows share
    return layer_weights(edges, norm, type, layers);
  }
  return std::vector<NodeWeights>(static_cast<std::size_t>(layers), node_weights(edges, norm, type));
}

}  // namespace factorgcn
