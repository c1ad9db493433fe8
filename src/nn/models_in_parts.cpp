// Which networks run on parts, and what they share.
#include "factorgcn/nn/models_in_parts.h"

#include <torch/nn/module.h>

#include "factorgcn/base/error.h"
#include "nn/factor_gcn_in_parts.h"

namespace factorgcn {
namespace {

const FactorGcn& as_factor_gcn(const GraphModel& model) {
  const auto* const network = dynamic_cast<const FactorGcn*>(&model);
  require(network != nullptr, "this model cannot run on a graph in parts");
  return *network;
}

}  // namespace

std::string misfit_in_parts(const GraphModel& model) {
  const auto* const network = dynamic_cast<const FactorGcn*>(&model);
  return network == nullptr ? "cannot train on one graph in parts; factorgcn can" : FactorGcnInParts::misfit(*network);
}

void share_weights(const GraphModel& model, GraphModel& copy) {
  const auto share = [](const auto& from, const auto& to) {
    require(from.size() == to.size(), "a copy of the network has ", to.size(), " tensors instead of ", from.size());
    for (const auto& item : from) {
      to[item.key()].set_data(item.value().detach());
    }
  };
  share(model.named_parameters(), copy.named_parameters());
  share(model.named_buffers(), copy.named_buffers());
}

std::vector<ModelOutput> forward_in_parts(std::span<const std::shared_ptr<GraphModel>> copies,
                                          std::span<const GraphPiece> pieces, PartExchange& exchange,
                                          bool with_regulariser) {
  require(!copies.empty() && copies.size() == pieces.size(), "there are ", copies.size(), " networks for ",
          pieces.size(), " parts; each part needs one, and each process a part");
  return FactorGcnInParts(copies, pieces, exchange).forward(with_regulariser);
}

std::int64_t halo_numbers(const GraphModel& model, bool with_regulariser) {
  return FactorGcnInParts::halo_numbers(as_factor_gcn(model), with_regulariser);
}

}  // namespace factorgcn
