// GAT (Velickovic et al.): K attention heads side by side.
//
//   h_k = W_k x                                                               [N, d], d = hidden / K
//   alpha_ijk = softmax over the in-edges of i of leaky_relu(<a_k, h_k[j]> + <b_k, h_k[i]>, 0.2)
//   y_i = concatenation over k of sum_j alpha_ijk h_k[j], plus a bias
//
// With edge weights the softmax is of w_ij exp(score): alpha_ijk w_ij / (sum over the in-edges of i of alpha_ijk w_ij).
//
// <a_k, h_k> = (a_k^T W_k) x: the scores are a product of x with a small matrix, and nothing of size [N, K, d] is made
// for them.
#pragma once

#include "nn/baselines/stack.h"

namespace factorgcn::baselines {

class Gat : public StackModel {
 public:
  Gat(const StackOptions& options, std::int64_t heads, std::uint64_t seed);

  int num_factor_layers() const override { return static_cast<int>(num_layers()); }

 protected:
  struct Heads {
    at::Tensor hidden;  ///< [N, K, d]
    at::Tensor alpha;   ///< [E, K]
    at::Tensor out;     ///< [N, K, d]
  };

  void prepare(StackPass& pass) override { pass.weights.edge = edge_weights_of(pass.batch); }
  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& pass) override;
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override;
  /// Of a neighbour its features and its half of the scores.
  std::int64_t sent_width(std::size_t /*layer*/) const override { return options().hidden + heads_; }
  at::Tensor coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass) override;
  /// Called with what a layer has computed.
  virtual void judge_heads(std::size_t /*layer*/, const Heads& /*heads*/, StackPass& /*pass*/) {}

  std::int64_t heads() const { return heads_; }

 private:
  /// <a_k, h_k> and <b_k, h_k>, [N, K] each.
  std::vector<at::Tensor> score_halves(std::size_t layer, const at::Tensor& x) const;
  at::Tensor attention(const at::Tensor& from, const at::Tensor& to, const StackPass& pass) const;

  std::int64_t heads_;
  std::vector<LinearMap> maps_;
  std::vector<at::Tensor> from_, to_;  ///< a and b of each layer, [K, d]
};

/// Reads the settings of both kinds.
struct GatOptions {
  StackOptions stack;
  std::int64_t heads = 8;
};
GatOptions read_gat(SettingsReader& reader, const ModelInput& input, const std::string& name);

}  // namespace factorgcn::baselines
