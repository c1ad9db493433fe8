// C++ types of the registered operations; they must agree with the schemas in sparse_dense.cpp.
#pragma once

#include "ops/registration.h"

namespace factorgcn {

using SparseDenseSignature = at::Tensor(const at::Tensor& offsets, const at::Tensor& columns, const at::Tensor& values,
                                        const at::Tensor& weight);

/// Returns the gradient of the weight, [out, width].
using SparseDenseBackwardSignature = at::Tensor(const at::Tensor& grad_y, const at::Tensor& offsets,
                                                const at::Tensor& columns, const at::Tensor& values,
                                                std::int64_t width);

}  // namespace factorgcn
