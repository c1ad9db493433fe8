// C++ type of the registered operation; it must agree with the schema in discriminator_loss.cpp.
#pragma once

#include <vector>

#include "ops/registration.h"

namespace factorgcn {

/// Returns the loss and its gradients with respect to x, gate_sum, left, right and the six weights, in this order.
using DiscriminatorLossSignature = std::vector<at::Tensor>(
    const at::Tensor& x, const at::Tensor& gate_sum, const at::Tensor& left, const at::Tensor& right,
    const at::Tensor& first_weight, const at::Tensor& first_bias, const at::Tensor& second_weight,
    const at::Tensor& second_bias, const at::Tensor& classifier_weight, const at::Tensor& classifier_bias,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out, const at::Tensor& graph_offsets, double gate_scale);

}  // namespace factorgcn
