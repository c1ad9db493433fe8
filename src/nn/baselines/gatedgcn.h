// GatedGCN (Bresson and Laurent): every column of every neighbour has a gate of its own.
//
//   g_ij = sigmoid(D x_i + E x_j + t_ij)                       t: a learnt vector per edge type; GatedGCN_E alone
//   y_i  = A x_i + sum over in-edges of g_ij * B x_j / (sum over in-edges of g_ij + 1e-6)
#pragma once

#include "nn/baselines/stack.h"

namespace factorgcn::baselines {

class GatedGcn : public StackModel {
 public:
  /// types: 0, or how many types of edges have vectors.
  GatedGcn(const StackOptions& options, std::int64_t types, std::uint64_t seed);

 protected:
  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& pass) override;
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override;
  std::int64_t sent_width(std::size_t layer) const override;

 private:
  std::int64_t types_;
  std::vector<LinearMap> self_, value_, target_, source_;  ///< A, B, D, E
  std::vector<at::Tensor> type_vectors_;                   ///< [types, hidden] per layer
};

}  // namespace factorgcn::baselines
