// A linear map with its weights, as networks keep them.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/ops/dense.h"

namespace factorgcn {

struct FACTORGCN_API LinearMap {
  at::Tensor weight, bias;  ///< [out, in], [out] or undefined
};

/// x W^T + b, [..., out].
inline at::Tensor linear(const LinearMap& map, const at::Tensor& x) { return dense(x, map.weight, map.bias); }

}  // namespace factorgcn
