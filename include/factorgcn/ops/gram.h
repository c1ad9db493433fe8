// Products of a tall table's columns with each other: x^T x.
//
// It is the weight gradient of a dense map whose input and upstream gradient are both x, and is computed as that
// (ops/dense.h): summed block by block in order, the same bits for any number of threads and on every run of a GPU.
// float32 and float64. Cost: N * d^2 multiply-adds forward, the same backward.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// x: [N, d]. Returns [d, d]. Differentiable.
FACTORGCN_API at::Tensor gram(const at::Tensor& x);

}  // namespace factorgcn
