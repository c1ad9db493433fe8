// Networks on one graph in parts: the same values as on the whole graph up to rounding, and gradients by part.
//
// A process holds a copy of the network for each of its parts. Copies share the memory of their parameters and buffers;
// gradients are each copy's own, so that whoever adds them can do so in the order of the parts. The copies advance
// layer by layer together, since each layer reads the one before through the halo. What networks of all kinds share on
// the way is src/nn/shell_in_parts.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/nn/graph_piece.h"
#include "factorgcn/nn/part_exchange.h"

namespace factorgcn {

/// "factorgcn, mlp, gcn, ...": the models that can run on a graph in parts.
FACTORGCN_API std::string names_of_models_in_parts();

/// Why the model cannot run on a graph in parts, as a sentence that follows its name; empty: it can.
FACTORGCN_API std::string misfit_in_parts(const GraphModel& model);

/// Makes `copy` share the memory of the model's parameters and buffers. Both were built alike.
FACTORGCN_API void share_weights(const GraphModel& model, GraphModel& copy);

/// One forward pass on the parts here: a prediction for each part's nodes, and each part's share of the regulariser,
/// whose sum over all parts is the whole one. Running moments of batch norm move once for all parts.
FACTORGCN_API std::vector<ModelOutput> forward_in_parts(std::span<const std::shared_ptr<GraphModel>> copies,
                                                        std::span<const GraphPiece> pieces, PartExchange& exchange,
                                                        bool with_regulariser);

/// Numbers that one node of a halo brings in a forward pass and, while training, takes back in a backward one.
FACTORGCN_API std::int64_t halo_numbers(const GraphModel& model, bool with_regulariser);

}  // namespace factorgcn
