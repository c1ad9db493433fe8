// Weighted sums over in-edges: the convolution most graph networks are made of.
//
//   out[i,k,:] = target_weight[i] * sum over e: j -> i of edge_weight[e,k] * source_weight[j] * x[j,:]      (x: [N, d])
//   out[i,k,:] = target_weight[i] * sum over e: j -> i of edge_weight[e,k] * source_weight[j] * x[j,k,:]    (x: [N, K,
//   d])
//
// Forward gathers over in-edges, backward over out-edges, each row by one thread in a fixed order: the same bits on
// every run and for any number of threads. Nothing of size E * d is stored. float32 and float64. Cost: forward E * K *
// d multiply-adds; backward twice that with edge weights, once without; E * K scratch.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {

/// x: [N, d] or [N, K, d]; edge_weight: [E, K] in the order of in-edges, times the weights' own of edges. Returns [N,
/// K, d]. Differentiable in x and edge_weight, not in the node weights. Of two tables x has a row for each source, the
/// result one for each target.
FACTORGCN_API at::Tensor weighted_aggregate(const Adjacency& edges, const at::Tensor& x, const at::Tensor& edge_weight,
                                            const NodeWeights& weights = {});

/// The same with edge weights of 1 beside those of `weights`: x [N, d] gives [N, d]. GCN's, GIN's and GraphSAGE's sums,
/// by their node weights.
FACTORGCN_API at::Tensor neighbour_sum(const Adjacency& edges, const at::Tensor& x, const NodeWeights& weights = {});

/// 1 / in-degree of each node, for means over neighbours; 1 where there are none. [N].
FACTORGCN_API at::Tensor mean_weights(const Adjacency& edges, at::ScalarType type = at::kFloat);

}  // namespace factorgcn
