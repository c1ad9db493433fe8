// C++ types of the registered operations; they must agree with the schemas in layer_tiles.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

using LayerTilesFitSignature = bool(const at::Tensor& x, std::int64_t graphs, std::int64_t edges, std::int64_t width,
                                    std::int64_t factors, bool judged);

using LayerRowsFitSignature = bool(const at::Tensor& x, std::int64_t width, std::int64_t factors);

/// Of layer_in_tiles and layer_in_rows. Returns the output and the loss, which means nothing without a discriminator.
using LayerTilesSignature = std::tuple<at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const OptionalTensor& first_weight, const OptionalTensor& first_bias,
    const OptionalTensor& second_weight, const OptionalTensor& second_bias, const OptionalTensor& classifier_weight,
    const OptionalTensor& classifier_bias, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& out_targets, const at::Tensor& graph_offsets, const OptionalTensor& real_graphs,
    const OptionalTensor& long_targets, const OptionalTensor& long_sources, std::int64_t layer, double gate_scale,
    bool beside);

}  // namespace factorgcn
