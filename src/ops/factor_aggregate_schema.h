// C++ types of the registered operations; they must agree with the schemas in factor_aggregate.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

using FactorAggregateSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& h, const at::Tensor& left,
                                                                    const at::Tensor& right,
                                                                    const OptionalTensor& source_weight,
                                                                    const OptionalTensor& target_weight,
                                                                    at::TensorList edges, double gate_scale);

using FactorAggregatePairSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& h, const at::Tensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale);

using FactorAggregateEachSignature = at::Tensor(const at::Tensor& p, const at::Tensor& left, const at::Tensor& right,
                                                const OptionalTensor& source_weight,
                                                const OptionalTensor& target_weight, at::TensorList edges,
                                                double gate_scale);

/// Serves all three: x is h [N, d] or p [N, K, d]; q is absent but for the pair. Returns the gradients of x, q
/// (undefined where absent), left and right.
using FactorAggregateBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_out, const OptionalTensor& grad_q_out, const OptionalTensor& grad_gate_sum,
    const at::Tensor& x, const OptionalTensor& q, const at::Tensor& left, const at::Tensor& right,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, at::TensorList edges, double gate_scale);

using FactorGatesSignature = at::Tensor(const at::Tensor& left, const at::Tensor& right, at::TensorList edges,
                                        double gate_scale);

/// inverse_sqrt_in_degree() of graph/adjacency.h, from the offsets alone.
using DegreeWeightsSignature = at::Tensor(const at::Tensor& offsets, bool single_precision);

/// The same where `weighted`, and KnownLongRows' tensors for so many layers.
using LayerWeightsSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(const at::Tensor& in_offsets,
                                                                             const at::Tensor& out_offsets,
                                                                             std::int64_t edges, bool weighted,
                                                                             bool single_precision,
                                                                             std::int64_t layers);

}  // namespace factorgcn
