// The operations of a forward pass that reach over all parts of a graph, with their gradients.
//
// Gradients go back through nodes of their own in libtorch's graph of gradients. It takes nodes in the reverse order of
// their making, so every process makes the same calls in the backward pass, too, however many parts it holds.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/nn/part_exchange.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/batch_norm.h"

namespace factorgcn {

/// Each table with the rows of the part's halo behind its own: [rows + halo, ...]. `halo`: of each part here.
std::vector<RowTables> with_halo(const std::vector<RowTables>& rows, const std::vector<std::int64_t>& halo,
                                 PartExchange& exchange);

/// The sum over all parts, added in their order; one and the same for each part here.
std::vector<at::Tensor> sum_over_parts(const std::vector<at::Tensor>& each, PartExchange& exchange);

/// batch_norm() while training (ops/batch_norm.h) with the moments of all parts' rows together. `states`: of each copy
/// of the network; they share their running estimates, which move once. `row_scales`: may hold undefined tensors.
std::vector<at::Tensor> batch_norm_over_parts(const std::vector<at::Tensor>& x,
                                              const std::vector<BatchNormState>& states, PartExchange& exchange,
                                              Activation activation, double slope,
                                              const std::vector<at::Tensor>& row_scales);

}  // namespace factorgcn
