// C++ types of the registered operations; they must agree with the schemas in segment_reduce.cpp.
#pragma once

#include "ops/registration.h"

namespace factorgcn {

using SegmentReduceSignature = at::Tensor(const at::Tensor& x, const at::Tensor& offsets, bool mean);
using SegmentReduceBackwardSignature = at::Tensor(const at::Tensor& grad, const at::Tensor& offsets, std::int64_t rows,
                                                  bool mean);

}  // namespace factorgcn
