// What layer_in_tiles and layer_in_rows must be equal to: a layer and its discriminator's loss from the operations that
// serve everywhere.
#pragma once

#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/layer_tiles.h"

namespace factorgcn::testing {

inline LayerStep composed_layer(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& w,
                                const DiscriminatorWeights* judge, const NodeWeights& weights, double gate_scale) {
  const at::Tensor h = dense(x, w.weight, w.bias);
  const auto halves = dense(h, w.gate_weight, w.gate_bias).split(w.gate_weight.size(0) / 2, 1);
  const auto sums = factor_aggregate(batch.edges, h, halves[0], halves[1], weights, gate_scale);
  LayerStep step{sums.out, {}};
  if (judge != nullptr) {
    step.loss = discriminator_loss(batch.edges, batch.graph_offsets, h, sums.gate_sum, halves[0], halves[1], weights,
                                   gate_scale, *judge);
  }
  return step;
}

}  // namespace factorgcn::testing
