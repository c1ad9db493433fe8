// C++ types of the registered operations; they must agree with the schemas in capsule_route.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Squared lengths are taken this much larger, so that a capsule of zeros stays zero.
inline constexpr double kCapsuleEps = 1e-12;

/// Returns next and what v was multiplied by, [N, K]: 1 / |v|, or 1 where capsules keep their length.
using CapsuleRouteSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& u, bool unit, const at::Tensor& in_offsets, const at::Tensor& in_sources,
    const at::Tensor& out_offsets, const at::Tensor& out_targets, const at::Tensor& in_to_out);

/// Gradients of x and u.
using CapsuleRouteBackwardSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& grad_next, const at::Tensor& next, const at::Tensor& inverse_length, const at::Tensor& x,
    const at::Tensor& u, bool unit, const at::Tensor& in_offsets, const at::Tensor& in_sources,
    const at::Tensor& out_offsets, const at::Tensor& out_targets, const at::Tensor& in_to_out);

using CapsuleSharesSignature = at::Tensor(const at::Tensor& x, const at::Tensor& u, const at::Tensor& in_offsets,
                                          const at::Tensor& in_sources);

}  // namespace factorgcn
