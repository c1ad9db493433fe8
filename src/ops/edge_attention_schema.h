// C++ types of the registered operations; they must agree with the schemas in edge_attention.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

using EdgeAttentionSignature = at::Tensor(const at::Tensor& left, const at::Tensor& right, const at::Tensor& in_offsets,
                                          const at::Tensor& in_sources, const at::Tensor& out_offsets,
                                          const at::Tensor& in_to_out, double slope);

/// Gradients of left and right.
using EdgeAttentionBackwardSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& grad_alpha, const at::Tensor& alpha, const at::Tensor& left, const at::Tensor& right,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& in_to_out, double slope);

}  // namespace factorgcn
