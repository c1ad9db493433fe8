// What layer_in_tiles and layer_in_rows must be equal to: a layer and its discriminator's loss from the operations that
// serve everywhere.
#pragma once

#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/dense_pool.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "factorgcn/ops/layer_tiles.h"

namespace factorgcn::testing {

inline LayerStep composed_layer(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& w,
                                const DiscriminatorWeights* judge, const NodeWeights& weights, double gate_scale) {
  const at::Tensor h = dense(x, w.weight, w.bias);
  const auto halves = dense(h, w.gate_weight, w.gate_bias).split(w.gate_weight.size(0) / 2, 1);
  const auto sums = factor_aggregate(batch.edges, h, halves[0], halves[1], weights, gate_scale);
  LayerStep step{sums.out, {}};
  if (judge != nullptr) {
    const at::Tensor mapped = dense(h, judge->first_weight, judge->first_bias);
    const at::Tensor p1 = activate(factor_aggregate(batch.edges, mapped, halves[0], halves[1], weights, gate_scale).out,
                                   Activation::kTanh);
    const at::Tensor p2_sums = factor_aggregate_each(batch.edges, p1, halves[0], halves[1], weights, gate_scale);
    const at::Tensor means =
        dense_pool(p2_sums, judge->second_weight, judge->second_bias, sums.gate_sum, batch.graph_offsets);
    step.loss =
        factor_label_loss(dense(activate(means, Activation::kTanh), judge->classifier_weight, judge->classifier_bias));
  }
  return step;
}

}  // namespace factorgcn::testing
