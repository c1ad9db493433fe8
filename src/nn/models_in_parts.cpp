// Which networks run on parts, and what they share.
#include "factorgcn/nn/models_in_parts.h"

#include <torch/nn/module.h>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/registry.h"
#include "nn/baselines/stack_in_parts.h"
#include "nn/factor_gcn_in_parts.h"

namespace factorgcn {
using baselines::StackInParts;
using baselines::StackModel;

std::string own_misfit_in_parts(const GraphModel& model) {
  if (dynamic_cast<const FactorGcn*>(&model) != nullptr) {
    return "";
  }
  const auto* const stack = dynamic_cast<const StackModel*>(&model);
  return stack == nullptr ? "is not made for it" : stack->needs_whole_graphs();
}

std::string names_of_models_in_parts() {
  ModelInput input;
  input.task = Task::kNodeClass;
  input.in_features = 2;
  input.outputs = 2;
  std::string names;
  for (const ModelEntry& entry : models()) {
    if (entry.trained && misfit(entry, input).empty() && own_misfit_in_parts(*entry.make(input, {}, 0)).empty()) {
      names += (names.empty() ? "" : ", ") + entry.name;
    }
  }
  return names;
}

std::string misfit_in_parts(const GraphModel& model) {
  const std::string reason = own_misfit_in_parts(model);
  return reason.empty()
             ? ShellInParts::misfit(dynamic_cast<const NetworkShell&>(model))
             : concat("cannot train on one graph in parts: it ", reason, "; these can: ", names_of_models_in_parts());
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
  return dynamic_cast<const FactorGcn*>(copies.front().get()) != nullptr
             ? FactorGcnInParts(copies, pieces, exchange).forward(with_regulariser)
             : StackInParts(copies, pieces, exchange).forward();
}

std::int64_t halo_numbers(const GraphModel& model, bool with_regulariser) {
  const auto* const network = dynamic_cast<const FactorGcn*>(&model);
  return network != nullptr ? FactorGcnInParts::halo_numbers(*network, with_regulariser)
                            : StackInParts::halo_numbers(dynamic_cast<const StackModel&>(model));
}

}  // namespace factorgcn
