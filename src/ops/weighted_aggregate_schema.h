// C++ types of the registered operations; they must agree with the schemas in weighted_aggregate.cpp.
#pragma once

#include <array>
#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Without edge weights x is [N, d] and so is the result.
using WeightedAggregateSignature = at::Tensor(const at::Tensor& x, const OptionalTensor& edge_weight,
                                              const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                              const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                              const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                              const at::Tensor& in_to_out);

/// Gradients of x and of the edge weights (undefined where there are none).
using WeightedAggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& grad_out, const at::Tensor& x, const OptionalTensor& edge_weight,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out);

}  // namespace factorgcn
