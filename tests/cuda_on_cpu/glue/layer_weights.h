// The GPU's layer_weights, with tensors on the CPU in place of the GPU's.
#pragma once

#include <vector>

#include "factorgcn/ops/factor_aggregate.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cuda_on_cpu {

inline std::vector<NodeWeights> layer_weights(const Adjacency& edges, EdgeNorm norm, at::ScalarType type,
                                              std::int64_t layers) {
  const auto [weight, targets, sources] =
      find_operation<LayerWeightsSignature>("factorgcn::layer_weights")
          .redispatch(c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), edges.in_offsets, edges.out_offsets,
                      edges.num_edges(), norm != EdgeNorm::kNone, type == at::kFloat, layers);
  std::vector<NodeWeights> all;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    all.push_back({weight, norm == EdgeNorm::kSymmetric ? weight : at::Tensor(), {targets, sources, layer}});
  }
  return all;
}

}  // namespace factorgcn::cuda_on_cpu
