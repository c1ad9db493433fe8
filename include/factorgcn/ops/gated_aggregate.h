// Means over in-edges with a gate per column, as gated graph convolutions have them.
//
//   s[e,:]   = sigmoid(left[j,t,:] + right[i,:])                    for the edge e: j -> i of type t
//   out[i,:] = sum over e of s[e,:] * x[j,:] / (sum over e of s[e,:] + 1e-6)
//
// Gates are recomputed in the backward pass: nothing of size E * d is stored. Rows by one thread in a fixed order: the
// same bits for any number of threads. float32 and float64. Cost: E * d sigmoids forward, twice that backward.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

/// x, right: [N, d]; left: [N, d], or [N, T, d] with edge_types, int32 [E] of 0 .. T - 1 in the order of in-edges.
/// Returns [N, d]. Differentiable in x, left and right. Of two tables x and left have a row for each source, right and
/// the result one for each target.
FACTORGCN_API at::Tensor gated_aggregate(const Adjacency& edges, const at::Tensor& x, const at::Tensor& left,
                                         const at::Tensor& right, const at::Tensor& edge_types = {});

}  // namespace factorgcn
