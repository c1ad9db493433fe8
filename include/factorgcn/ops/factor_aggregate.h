// The operation FactorGCN is made of: gated sums over in-edges, all factors at once.
//
//   c[e,k]      = sigmoid(gate_scale * (left[j,k] + right[i,k]))           for the edge e: j -> i
//   out[i,k,:]  = target_weight[i] * sum over e of c[e,k] * source_weight[j] * h[j,:]         (factor_aggregate)
//   out[i,k,:]  = target_weight[i] * sum over e of c[e,k] * source_weight[j] * p[j,k,:]       (factor_aggregate_each)
//   gate_sum[i,k] = target_weight[i] * sum over e of c[e,k] * source_weight[j]
//
// Nothing of size E * d is ever stored: gates are recomputed in the backward pass from the two [N, K] tables.
// Forward gathers over in-edges, backward over out-edges, each row by one thread in a fixed order, so results are the
// same bits on every run and for any number of threads. float32 and float64.
// From a table of sources to a table of targets (graph/adjacency.h): h, p, left and source_weight have S rows, right,
// target_weight and the results T. node_weights() and weights_with_edges() are of one table.
// Cost: forward E * K * d multiply-adds and E * d loads; backward twice that, E * K * d loads, E * K scratch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

/// What a GPU's passes over the edges need to know of nodes with very many (ops/cuda/long_rows.h). Undefined on the CPU
/// and where there are no such nodes; operations that are not told find out themselves.
struct FACTORGCN_API KnownLongRows {
  at::Tensor targets, sources;  ///< among the in-edges' rows, among the out-edges'
  std::int64_t layer = 0;       ///< whose turn it is: passes at the same time must not have the same
};

/// How an edge's message is weighted: w_ij = source_weight[j] * target_weight[i] * edge_weight[e]. An undefined tensor
/// stands for ones. With weights of edges, gates are kept as values (ops/edge_gates.h); they are not differentiated.
struct FACTORGCN_API NodeWeights {
  at::Tensor source;             ///< [N] or undefined
  at::Tensor target;             ///< [N] or undefined
  KnownLongRows long_rows = {};  ///< of the edges that these weights are for
  at::Tensor edge = {};          ///< [E] in the order of in-edges, or undefined
};

enum class EdgeNorm {
  kNone,       ///< w = 1
  kSource,     ///< w = deg(j)^-1/2, the published configuration
  kSymmetric,  ///< w = (deg(i) deg(j))^-1/2, the paper's equation
};

FACTORGCN_API const char* edge_norm_name(EdgeNorm norm);
FACTORGCN_API EdgeNorm edge_norm_from_name(const std::string& name);

/// Weights of the given normalisation, from in-degrees clamped at 1.
FACTORGCN_API NodeWeights node_weights(const Adjacency& edges, EdgeNorm norm, at::ScalarType type = at::kFloat);

/// The same with weights of edges, which degrees are then sums of: deg(i) = sum over in-edges of edge_weight; 1 where
/// that is 0. An undefined `edge_weight` gives node_weights().
FACTORGCN_API NodeWeights weights_with_edges(const Adjacency& edges, EdgeNorm norm, const at::Tensor& edge_weight,
                                             at::ScalarType type = at::kFloat);

/// node_weights() for each of some layers over the same edges; on a GPU their long rows are found in the same launch.
/// For one forward pass and its backward pass: nothing is known of edges that are at the same place later.
FACTORGCN_API std::vector<NodeWeights> layer_weights(const Adjacency& edges, EdgeNorm norm, at::ScalarType type,
                                                     std::int64_t layers);

struct FACTORGCN_API FactorAggregate {
  at::Tensor out;       ///< [N, K, d]
  at::Tensor gate_sum;  ///< [N, K]
};

/// h: [N, d], shared by all factors; left, right: [N, K], halves of one [N, 2K] tensor are taken as they are.
/// Differentiable in h, left and right.
FACTORGCN_API FactorAggregate factor_aggregate(const Adjacency& edges, const at::Tensor& h, const at::Tensor& left,
                                               const at::Tensor& right, const NodeWeights& weights, double gate_scale);

struct FACTORGCN_API FactorAggregatePair {
  at::Tensor out;       ///< [N, K, d]
  at::Tensor q_out;     ///< [N, K, m]
  at::Tensor gate_sum;  ///< [N, K]
};

/// factor_aggregate of h [N, d] and of q [N, m] in one pass: the gates are computed once for both.
FACTORGCN_API FactorAggregatePair factor_aggregate_pair(const Adjacency& edges, const at::Tensor& h,
                                                        const at::Tensor& q, const at::Tensor& left,
                                                        const at::Tensor& right, const NodeWeights& weights,
                                                        double gate_scale);

/// The per-factor twin. p: [N, K, d]; left, right: [N, K]. Differentiable in p, left and right. Returns [N, K, d].
FACTORGCN_API at::Tensor factor_aggregate_each(const Adjacency& edges, const at::Tensor& p, const at::Tensor& left,
                                               const at::Tensor& right, const NodeWeights& weights, double gate_scale);

/// The coefficients c themselves, [E, K] in the order of in-edges; for metrics and pictures, not differentiable.
FACTORGCN_API at::Tensor factor_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right,
                                      double gate_scale);

}  // namespace factorgcn
