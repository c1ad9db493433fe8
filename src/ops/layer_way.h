// How a disentangle layer and its discriminator run. It is decided here and nowhere else, the reason beside each branch
// (layer_way.cpp).
//
//   kStack     ops/disentangle_stack.h: on a CPU, all blocks of the network as one operation over tiles of whole graphs
//   kTiles     ops/layer_tiles.h: on a GPU, each layer as one operation, a graph at a time in a block's shared memory
//   kRows      ops/layer_tiles.h: on a GPU, each layer as one operation, for graphs of any size
//   kComposed  ops/dense.h, ops/factor_aggregate.h and the discriminator's operations one by one
//
// All give the same up to rounding. The choice looks at shapes and options, never at values: a recorded step must not
// wait for a GPU. Cost: on a CPU one look at each graph's size.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {

enum class LayerWay { kStack, kTiles, kRows, kComposed };

/// What the choice depends on beside the batch and its features.
struct LayerTask {
  std::int64_t width = 0, factors = 0;        ///< d, K
  bool judged = false;                        ///< whether the discriminator's loss is wanted
  int depth = 2;                              ///< the discriminator's convolutions
  Activation activation = Activation::kNone;  ///< at the block's end
  bool tiles = true;                          ///< false: never kStack; for tests
};

/// x: the layer's input, [N, in]. All layers of a network are kStack, or none.
FACTORGCN_API LayerWay layer_way(const GraphBatch& batch, const at::Tensor& x, const LayerTask& task);

/// Whether A_k(L1 h), the discriminator's first convolution, is cheaper summed over the edges, along with the layer's
/// own sums, than taken from the layer's output (nn/discriminator.h).
FACTORGCN_API bool sums_first_convolution(const GraphBatch& batch, std::int64_t width, std::int64_t factors);

/// The nodes' weights for each of some layers, the first of which runs that way.
FACTORGCN_API std::vector<NodeWeights> weights_for(LayerWay way, const Adjacency& edges, EdgeNorm norm,
                                                   at::ScalarType type, std::int64_t layers);

}  // namespace factorgcn
