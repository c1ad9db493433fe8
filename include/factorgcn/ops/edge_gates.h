// The gates of edges as values, where they are needed on their own: with weights of edges the sums of
// ops/factor_aggregate.h are ops/weighted_aggregate.h's of gates times weights.
//
//   gates[e,k] = sigmoid(gate_scale * (left[j,k] + right[i,k]))           for the edge e: j -> i
//
// Differentiable in left and right; rows are summed by one thread in a fixed order: the same bits for any number of
// threads. Cost: E * K values, and as many again for the gradient. On a GPU all steps are libtorch's own gathers and
// our sums over segments.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

/// left: [N, K] of sources, right: [N, K] of targets. Returns [E, K] in the order of in-edges.
FACTORGCN_API at::Tensor edge_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right,
                                    double gate_scale);

/// Rows of a table of targets at the targets of all edges: [N, C] to [E, C] in the order of in-edges. Differentiable.
FACTORGCN_API at::Tensor rows_of_targets(const Adjacency& edges, const at::Tensor& table);

}  // namespace factorgcn
