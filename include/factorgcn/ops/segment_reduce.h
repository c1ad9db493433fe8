// Sums and means over the nodes of each graph.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// x: [N, ...]; offsets: int64 [G + 1]. Row g of the result is the mean (or sum) of x over rows offsets[g] ..
/// offsets[g + 1]; zero for an empty graph. Differentiable in x. Independent of the number of threads.
FACTORGCN_API at::Tensor segment_mean(const at::Tensor& x, const at::Tensor& offsets);
FACTORGCN_API at::Tensor segment_sum(const at::Tensor& x, const at::Tensor& offsets);

}  // namespace factorgcn
