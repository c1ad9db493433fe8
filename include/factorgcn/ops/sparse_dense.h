// A linear map on sparse rows (graph/sparse_features.h):   y[i,:] = sum over the entries of row i of value *
// W[:,column]
//
// Gradients go to the map alone. Rows of y, and in the backward pass columns of W, are each summed by one thread in a
// fixed order: the same bits for any number of threads. Cost: entries * out multiply-adds, forward and backward, and a
// transposition of the entries. CPU only.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// x: sparse [N, in]; weight: [out, in] of the values' type; bias: [out] or undefined. Returns [N, out].
FACTORGCN_API at::Tensor sparse_dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace factorgcn
