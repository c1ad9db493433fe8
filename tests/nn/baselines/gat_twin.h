// Dense twin of a GAT layer, shared by GAT's tests and those of GAT with the discriminator.
#pragma once

#include <ATen/ops/cat.h>
#include <ATen/ops/exp.h>

#include "nn/baselines/twin.h"

namespace factorgcn::testing {

struct GatTwin {
  at::Tensor hidden, out;            // [N, K d]
  std::vector<at::Tensor> matrices;  // [N, N] per head, counting parallel edges
  std::vector<at::Tensor> alphas;    // [N, N] per head, of one edge

  GatTwin(const TwinWeights& weights, const std::string& layer, const GraphBatch& batch, const at::Tensor& x,
          std::int64_t heads) {
    hidden = x.matmul(weights(layer + "_weight").t());
    const std::int64_t width = hidden.size(1) / heads;
    const at::Tensor counts = edge_counts(batch.edges);
    std::vector<at::Tensor> blocks;
    for (std::int64_t k = 0; k < heads; ++k) {
      const at::Tensor h = hidden.slice(1, k * width, (k + 1) * width);
      const at::Tensor from = h.matmul(weights(layer + "_from")[k]), to = h.matmul(weights(layer + "_to")[k]);
      const at::Tensor weighed = at::exp(at::leaky_relu(from.unsqueeze(0) + to.unsqueeze(1), 0.2));
      const at::Tensor total = (weighed * counts).sum(1, true).clamp_min(1e-300);
      alphas.push_back(weighed / total);
      matrices.push_back(weighed * counts / total);
      blocks.push_back(matrices.back().matmul(h));
    }
    out = at::cat(blocks, 1);
  }

  /// The weights of single edges, [E, K].
  at::Tensor on_edges(const GraphBatch& batch) const {
    std::vector<at::Tensor> rows;
    const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < batch.num_nodes(); ++i) {
      for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        const std::int64_t j = batch.edges.in_sources.data_ptr<std::int32_t>()[e];
        std::vector<at::Tensor> row;
        for (const at::Tensor& alpha : alphas) {
          row.push_back(alpha[i][j]);
        }
        rows.push_back(at::stack(row));
      }
    }
    return at::stack(rows).detach();
  }
};

}  // namespace factorgcn::testing
