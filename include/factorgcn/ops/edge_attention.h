// Attention over in-edges, as graph attention networks have it.
//
//   score[e,k] = leaky_relu(left[j,k] + right[i,k])                        for the edge e: j -> i
//   alpha[e,k] = exp(score[e,k]) / sum over the in-edges of i of exp(score)
//
// The scores are recomputed in the backward pass from the two tables; alpha itself, [E, K], is kept. Rows by one thread
// in a fixed order: the same bits for any number of threads. float32 and float64. Cost: E * K exponentials.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

/// left, right: [N, K]; of two tables left has a row for each source, right one for each target. Returns alpha, [E, K]
/// in the order of in-edges. Differentiable in left and right.
FACTORGCN_API at::Tensor edge_attention(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right,
                                        double slope = 0.2);

}  // namespace factorgcn
