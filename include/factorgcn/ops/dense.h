// A linear map on many rows, with what usually surrounds it.
//
//   y[r,:] = activation(W x[r,:] + bias_scale[r] * b)
//
// libtorch's linear calls the BLAS once for a tall, thin product: with 4 to 144 columns that wastes most of its time
// and its weight gradient depends on the BLAS's threads. Here rows are cut into blocks by their number alone, each
// block is multiplied by a small register-tiled kernel, and weight gradients are summed block by block in order: the
// same bits for any number of threads. float32 and float64. Cost: R * in * out multiply-adds forward, twice that
// backward.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/ops/activation.h"

namespace factorgcn {

/// x: [..., in], or sparse rows [N, in] (ops/sparse_dense.h), which are not differentiated; weight: [out, in], bias:
/// [out] or undefined, bias_scale: one value per row of x (any shape with as many elements) or undefined for 1.
/// Activation: kNone or kTanh. Returns [..., out]. Differentiable in all tensors.
FACTORGCN_API at::Tensor dense(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                               const at::Tensor& bias_scale = {}, Activation activation = Activation::kNone);

}  // namespace factorgcn
