// The discriminator: tells a layer's factor graphs apart, and so keeps them different.
//
//   p1 = tanh(A_k(L1 h)), L1: d -> m          m = max(d / 2, 1)
//   p2 = tanh(A_k(L2 p1)), L2: m -> d         (depth 3 puts tanh(A_k(Lmid p1)), Lmid: m -> m, between them)
//   r_k = tanh(mean over the graph's nodes of p2);  logits = C r_k, C: d -> K
//   loss = cross entropy of logits against label k, averaged over graphs and factors
//
// A_k is the layer's own weighted sum over factor k. It is linear, so
//   A_k(L1 h) = L1w out[:,k,:] + L1b gate_sum[:,k]   and   A_k(L2 p) = L2w A_k(p) + L2b gate_sum[:,k]:
// the first convolution needs no edge pass, and later ones aggregate the narrow side. On sparse graphs aggregating L1 h
// directly is cheaper than N * K * d * m multiply-adds; the options may choose (for tests).
//
// It is composed of the operations on the whole batch. Where FactorGcn runs its layers in tiles
// (ops/disentangle_stack.h, ops/layer_tiles.h), it hands them these weights instead.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/ops/discriminator_weights.h"

namespace factorgcn {

struct FACTORGCN_API DiscriminatorOptions {
  std::int64_t width = 0;    ///< d of the layer it judges
  std::int64_t factors = 1;  ///< K
  double gate_scale = 6.0;
  int depth = 2;  ///< graph convolutions: 2 published, 3 in the paper's text
  enum class FirstPass { kCheapest, kFromOutput, kDirect } first_pass = FirstPass::kCheapest;
};

class FACTORGCN_API DiscriminatorImpl : public torch::nn::Module {
 public:
  DiscriminatorImpl(const DiscriminatorOptions& options, RandomStream& random);

  /// The map L1 for the layer to aggregate along with its own features where loss() will ask for it; null where
  /// A_k(L1 h) is better taken from the layer's output.
  const LinearMap* companion(const GraphBatch& batch) const;

  const DiscriminatorOptions& options() const { return options_; }
  /// The published discriminator's weights: of depth 2.
  DiscriminatorWeights weights() const;

  /// Class scores of each factor graph: [G, K, K]; row (g, k) should be largest at k.
  at::Tensor forward(const GraphBatch& batch, const DisentangleOutput& layer, const NodeWeights& weights);

  /// The steps of forward(): features after the first convolution; after a middle one, from `gathered`, weighted sums
  /// of features over the layer's edges; of the last, means over the nodes of each graph; scores.
  at::Tensor first_features(const DisentangleOutput& layer) const;
  at::Tensor middle_features(std::size_t convolution, const at::Tensor& gathered, const at::Tensor& gate_sum) const;
  at::Tensor last_means(const at::Tensor& gathered, const at::Tensor& gate_sum, const at::Tensor& graph_offsets) const;
  at::Tensor scores(const at::Tensor& means) const;
  std::size_t num_convolutions() const { return convolutions_.size(); }

  /// Cross entropy of forward() against the factors' numbers, averaged over graphs and factors: a scalar.
  at::Tensor loss(const GraphBatch& batch, const DisentangleOutput& layer, const NodeWeights& weights);

  /// Its weights for ops/disentangle_stack.h. Depth 2 only.
  void join(const GraphBatch& batch, StackBlock& block) const;

 private:
  bool first_pass_is_direct(const GraphBatch& batch) const;

  DiscriminatorOptions options_;
  std::vector<LinearMap> convolutions_;
  at::Tensor classifier_weight_, classifier_bias_;
};
TORCH_MODULE(Discriminator);

}  // namespace factorgcn
