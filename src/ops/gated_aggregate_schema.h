// C++ types of the registered operations; they must agree with the schemas in gated_aggregate.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Added to the sum of gates: a node without in-edges gets zeros.
inline constexpr double kGateSumEps = 1e-6;

/// left: [N, T, d]. Returns out and 1 / (sum of gates + eps), [N, d] each.
using GatedAggregateSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& out_targets, const at::Tensor& in_to_out);

/// Gradients of x, left and right.
using GatedAggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_out, const at::Tensor& out, const at::Tensor& inverse_sum, const at::Tensor& x,
    const at::Tensor& left, const at::Tensor& right, const OptionalTensor& edge_types, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out);

}  // namespace factorgcn
