// FactorGCN without labels: a disentangle layer whose gates learn to predict edges that were hidden from it.
//
//   x        = a learnt vector per node, and the nodes' attributes where there are any
//   z_ik     = tanh(out[i,k,:]) of a disentangle layer on the edges that are not hidden   (nn/disentangle_layer.h)
//   s_ijk    = sum over c of w_kc z_ikc z_jkc + b_k
//   p_ij     = 1 - product over k of (1 - sigmoid(s_ijk))          an edge is there where any factor wants it
//   loss     = cross entropy of hidden edges and as many pairs drawn at random + lambda * the discriminator's loss
//
// Each round hides another fifth of the edges. At the end the gates of all edges are read: an edge's share in factor k
// is its coefficient, the mean of both directions, divided by the sum of its coefficients.
//
// For comparison with methods that were made for this: a gate adds up what an edge's two ends say and so cannot tell
// "the same group" from "two groups". Cost: rounds * O(edges * factors * width).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API UnlabelledGatesOptions {
  int factors = 2;
  int rounds = 200;
  int width = 16;  ///< of one factor's features
  double learning_rate = 0.01;
  double lambda = 0.1;  ///< weight of the discriminator
  double gate_scale = 6.0;
  std::uint64_t seed = 0;
};

struct FACTORGCN_API UnlabelledGates {
  std::vector<float> shares;   ///< [edges, factors], each row's sum 1
  std::vector<double> losses;  ///< of each round: the hidden edges' cross entropy
};

/// Edges once each, undirected; parallel edges and self loops are legal. `attributes`: float [nodes, any], or
/// undefined. `progress` is told the rounds done and may throw to end it. Throws Error for ids out of range, attributes
/// of another length or not finite. The same seed gives the same bits, for any number of threads.
FACTORGCN_API UnlabelledGates train_unlabelled_gates(std::int64_t num_nodes, std::span<const std::int32_t> sources,
                                                     std::span<const std::int32_t> targets,
                                                     const at::Tensor& attributes,
                                                     const UnlabelledGatesOptions& options,
                                                     const std::function<void(int)>& progress = {});

}  // namespace factorgcn
