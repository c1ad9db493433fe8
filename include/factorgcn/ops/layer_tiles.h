// A disentangle layer and its discriminator's loss as one operation on a GPU, in two ways.
//
// In tiles, for batches of small graphs: each graph is taken through the layer and the discriminator within one block's
// shared memory. In rows, for any graphs: a short chain of launches, the discriminator's beside the model's own. Both
// are equal to the composition of dense, factor_aggregate and the discriminator's operations, which serves everything
// else. FactorGcn chooses by ops/layer_way.h.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/ops/discriminator_weights.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {

/// W [d, in], b [d]; the gates' maps U above V [2K, d], [2K].
struct FACTORGCN_API LayerWeights {
  at::Tensor weight, bias, gate_weight, gate_bias;
};

struct FACTORGCN_API LayerStep {
  at::Tensor out;   ///< [N, K, d]
  at::Tensor loss;  ///< a scalar; undefined without a discriminator
};

/// x: [N, in]. `judge`: the discriminator's weights, or null. Differentiable in x and all weights. GPU only; a graph
/// that is larger than expected is slower, no more. `beside`: while gradients are wanted, the discriminator may run
/// beside what the caller asks for next; the loss must not be touched before wait_for_judges() (ops/late_losses.h).
FACTORGCN_API LayerStep layer_in_tiles(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& weights,
                                       const DiscriminatorWeights* judge, const NodeWeights& node_weights,
                                       double gate_scale, bool beside = false);

/// As layer_in_tiles, for graphs of any size.
FACTORGCN_API LayerStep layer_in_rows(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& weights,
                                      const DiscriminatorWeights* judge, const NodeWeights& node_weights,
                                      double gate_scale, bool beside = false);

}  // namespace factorgcn
