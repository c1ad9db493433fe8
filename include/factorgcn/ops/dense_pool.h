// dense followed by the mean over each graph's nodes, without a round trip through memory between them.
//
//   y[i,k,:]    = tanh(W x[i,k,:] + bias_scale[i,k] * b)
//   out[g,k,:]  = mean over the nodes i of graph g of y[i,k,:]
//
// Equal to segment_mean(dense(...)): each graph is summed while its rows are still in the cache, and the backward pass
// never stores the mean's gradient once per node. A large graph is cut into pieces of kPieceNodes nodes that are added
// in order, so the result does not depend on the number of threads. Cost: N * K * in * out multiply-adds forward, twice
// that backward; y is kept for the backward pass.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// x: [N, K, in], weight: [out, in], bias: [out], bias_scale: [N, K], offsets: int64 [G + 1]. Returns [G, K, out].
/// Differentiable in x, weight, bias and bias_scale.
FACTORGCN_API at::Tensor dense_pool(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                    const at::Tensor& bias_scale, const at::Tensor& offsets);

}  // namespace factorgcn
