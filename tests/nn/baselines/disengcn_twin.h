// Dense twin of DisenGCN's routing, shared by its tests and IPGDN's.
#pragma once

#include <ATen/ops/einsum.h>
#include <ATen/ops/softmax.h>

#include "nn/baselines/twin.h"

namespace factorgcn::testing {

struct RoutingTwin {
  at::Tensor shares;  // of the last round, [N, N, K]
  at::Tensor out;     // [N, K d]

  RoutingTwin(const TwinWeights& weights, const std::string& layer, const GraphBatch& batch, const at::Tensor& x,
              std::int64_t capsules, int rounds, bool keep_length = false) {
    const auto unit = [](const at::Tensor& v) { return v / (v.square().sum(2, true) + 1e-12).sqrt(); };
    const at::Tensor z = unit(weights.linear(x, layer).view({x.size(0), capsules, -1}));
    const at::Tensor counts = edge_counts(batch.edges);
    at::Tensor u = z;
    for (int round = 0; round < rounds; ++round) {
      shares = at::softmax(at::einsum("ikd,jkd->ijk", {u, z}), 2);
      const at::Tensor sums = z + at::einsum("ij,ijk,jkd->ikd", {counts, shares, z});
      u = keep_length && round + 1 == rounds ? sums : unit(sums);
    }
    out = u.flatten(1);
  }
};

}  // namespace factorgcn::testing
