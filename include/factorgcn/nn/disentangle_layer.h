// The disentangle layer: one graph in, K weighted factor graphs out, features aggregated in each and concatenated.
//
//   h          = W x + b                                              [N, d],  d = out / K, one h for all factors
//   left, right = U h + a, V h + b                                    [N, K] each
//   c_ijk      = sigmoid(gate_scale * (left_k[j] + right_k[i]))       coefficient of the edge j -> i in factor k
//   out[i,k,:] = sum over in-edges of c_ijk * w_ij * h[j,:]           [N, K, d], seen as [N, K * d]
//
// Shapes: in [N, in] -> out [N, out]. Parameters: in * d + d + 2 (d * K + K).
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/adjacency.h"
#include "factorgcn/nn/linear_map.h"
#include "factorgcn/ops/disentangle_stack.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "factorgcn/ops/layer_tiles.h"

namespace factorgcn {

struct FACTORGCN_API DisentangleLayerOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;      ///< must divide by factors
  std::int64_t factors = 1;  ///< K
  double gate_scale = 6.0;   ///< 6 in the published configuration; the paper's text has 1
};

/// What a layer computed: its output, and what the discriminator and the metrics need of the way there.
struct FACTORGCN_API DisentangleOutput {
  at::Tensor out;          ///< [N, K, d]; flatten(1) is the layer's output
  at::Tensor gate_sum;     ///< [N, K]
  at::Tensor hidden;       ///< h, [N, d]
  at::Tensor left, right;  ///< [N, K]
  at::Tensor companion;    ///< [N, K, m], the aggregate of a linear map of h; undefined where none was asked for
};

class FACTORGCN_API DisentangleLayerImpl : public torch::nn::Module {
 public:
  /// Parameters are drawn from `random`: uniform within 1/sqrt(fan in), as torch::nn::Linear does.
  DisentangleLayerImpl(const DisentangleLayerOptions& options, RandomStream& random);

  /// `companion`, where given, is a linear map of h, [m, d] and [m], that is aggregated in the same pass (see
  /// Discriminator).
  DisentangleOutput forward(const Adjacency& edges, const at::Tensor& x, const NodeWeights& weights,
                            const LinearMap* companion = nullptr);

  /// The two steps of forward(): h of nodes from x alone, and the rest from h of all nodes that edges come from. Of two
  /// tables (graph/adjacency.h) the first rows are the targets; `left` then has a row for each source.
  at::Tensor map_nodes(const at::Tensor& x) const;
  DisentangleOutput gather(const Adjacency& edges, const at::Tensor& hidden, const NodeWeights& weights,
                           const LinearMap* companion = nullptr) const;

  /// Coefficients of all edges, double [E, K] in the order of in-edges: a trained layer has many that are 1 to all of a
  /// float's digits and differ all the same.
  at::Tensor coefficients(const Adjacency& edges, const DisentangleOutput& output) const;

  /// Its weights for ops/disentangle_stack.h.
  void join(StackBlock& block) const;

  const DisentangleLayerOptions& options() const { return options_; }
  LayerWeights weights() const { return {weight_, bias_, gate_weight_, gate_bias_}; }

 private:
  DisentangleLayerOptions options_;
  at::Tensor weight_, bias_;            ///< W [d, in], b [d]
  at::Tensor gate_weight_, gate_bias_;  ///< U above V: [2K, d], [2K]; one product for both
};
TORCH_MODULE(DisentangleLayer);

}  // namespace factorgcn
