// A dense float64 twin of the disentangle layer and its discriminator, straight from the formulas: adjacency matrices,
// one factor at a time, no algebra. It reads the weights of the real modules by name.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <vector>

#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn::testing {

inline at::Tensor weight_of(const torch::nn::Module& module, const std::string& name) {
  return module.named_parameters()[name];
}

/// counts[i][j]: how many edges j -> i there are.
inline at::Tensor edge_counts(const Adjacency& edges) {
  at::Tensor counts = at::zeros({edges.num_nodes(), edges.num_nodes()}, at::TensorOptions().dtype(at::kDouble));
  const auto* offsets = edges.in_offsets.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < edges.num_nodes(); ++i) {
    for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
      counts[i][edges.in_sources.data_ptr<std::int32_t>()[e]] += 1;
    }
  }
  return counts;
}

struct LayerTwin {
  std::vector<at::Tensor> matrices;  // one [N, N] matrix of c * w per factor, counting parallel edges
  at::Tensor hidden, out;

  LayerTwin(const torch::nn::Module& layer, const Adjacency& edges, const at::Tensor& x, EdgeNorm norm,
            std::int64_t factors, double gate_scale) {
    hidden = at::linear(x, weight_of(layer, "weight"), weight_of(layer, "bias"));
    const at::Tensor scores = at::linear(hidden, weight_of(layer, "gate_weight"), weight_of(layer, "gate_bias"));
    const at::Tensor counts = edge_counts(edges);
    const at::Tensor scale = counts.sum(1).clamp_min(1).pow(-0.5);
    at::Tensor weights = counts;
    if (norm != EdgeNorm::kNone) {
      weights = weights * scale.unsqueeze(0);
    }
    if (norm == EdgeNorm::kSymmetric) {
      weights = weights * scale.unsqueeze(1);
    }
    std::vector<at::Tensor> blocks;
    for (std::int64_t k = 0; k < factors; ++k) {
      const at::Tensor left = scores.select(1, k), right = scores.select(1, factors + k);
      matrices.push_back(at::sigmoid(gate_scale * (left.unsqueeze(0) + right.unsqueeze(1))) * weights);
      blocks.push_back(matrices.back().matmul(hidden));
    }
    out = at::cat(blocks, 1);
  }
};

/// The discriminator's loss on the twin's matrices, graph by graph.
inline at::Tensor discriminator_loss(const torch::nn::Module& judge, const LayerTwin& layer, const at::Tensor& offsets,
                                     int depth) {
  std::vector<at::Tensor> rows;
  std::vector<std::int64_t> labels;
  const auto* at = offsets.data_ptr<std::int64_t>();
  for (std::int64_t g = 0; g + 1 < offsets.numel(); ++g) {
    for (std::size_t k = 0; k < layer.matrices.size(); ++k) {
      at::Tensor features = layer.hidden;
      for (int level = 1; level <= depth; ++level) {
        const std::string name = "convolution" + std::to_string(level);
        features = at::tanh(layer.matrices[k].matmul(
            at::linear(features, weight_of(judge, name + "_weight"), weight_of(judge, name + "_bias"))));
      }
      const at::Tensor readout = at::tanh(features.slice(0, at[g], at[g + 1]).mean(0));
      rows.push_back(at::linear(readout, weight_of(judge, "classifier_weight"), weight_of(judge, "classifier_bias")));
      labels.push_back(static_cast<std::int64_t>(k));
    }
  }
  return at::cross_entropy_loss(at::stack(rows), at::tensor(labels, at::kLong));
}

}  // namespace factorgcn::testing
