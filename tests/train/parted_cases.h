// A data set cut into parts in a folder of its own, and networks on them.
#pragma once

#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros_like.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/nn/models_in_parts.h"
#include "factorgcn/partition/cut.h"
#include "partition/node_dataset.h"
#include "train/parts/parts_work.h"

namespace factorgcn::testing {

struct PartsOnDisk {
  TemporaryFolder folder;
  Dataset dataset;
  PartsManifest manifest;

  PartsOnDisk(Dataset given, std::int64_t parts, const std::string& method = "hash") : dataset(std::move(given)) {
    manifest = cut_dataset(dataset, assign_parts(dataset.graphs, parts, method, 0), parts, folder.path());
  }
};

inline FactorGcnOptions node_options(const Dataset& dataset) {
  FactorGcnOptions options;
  options.node_types = dataset.num_node_types;
  options.in_features = dataset.num_node_types > 0 ? 0 : dataset.graphs.features.size(1);
  options.outputs = dataset.num_outputs;
  options.embedding = 6;
  options.hidden = 12;
  options.factors = {3, 2};
  options.readout = Readout::kNodeLinear;
  options.gate_scale = 2.0;
  return options;
}

/// Makes a network, always the same.
using NetworkMaker = std::function<std::shared_ptr<GraphModel>()>;

inline NetworkMaker factor_gcn(const FactorGcnOptions& options) {
  return [options] { return std::make_shared<FactorGcn>(options, 99); };
}

/// Copies of a network for the parts here, sharing its weights.
inline PartNetworks copies_of(GraphModel& model, const NetworkMaker& make, std::size_t parts) {
  PartNetworks copies;
  for (std::size_t part = 0; part < parts; ++part) {
    copies.push_back(make());
    share_weights(model, *copies.back());
  }
  return copies;
}

inline double largest_difference(const at::Tensor& left, const at::Tensor& right) {
  return left.numel() == 0 ? 0 : (left - right).abs().max().item<double>();
}

/// What a forward and a backward pass give: predictions and gradients by part, and the regulariser's shares.
struct PassOnParts {
  std::vector<at::Tensor> predictions, rows;
  std::vector<std::vector<at::Tensor>> gradients;
  std::vector<double> regularisers;
};

/// Gradients are those of sum(prediction * slopes) + 0.7 * regulariser. `slopes`: [nodes, outputs] of the whole graph.
inline PassOnParts pass_on_parts(const PartsOnDisk& disk, const NetworkMaker& make, const at::Tensor& slopes,
                                 Group* group, GraphModel& model) {
  PartedGraph graph(disk.folder.path(), disk.manifest, group);
  const PartNetworks copies = copies_of(model, make, graph.own_parts());
  const std::vector<ModelOutput> outputs = forward_in_parts(copies, graph.pieces(), graph.links(), true);
  at::Tensor all;
  PassOnParts result;
  for (std::size_t own = 0; own < outputs.size(); ++own) {
    const at::Tensor slope = at::index_select(slopes, 0, graph.part(own).rows);
    at::Tensor value = (outputs[own].prediction * slope).sum();
    if (outputs[own].regulariser.defined()) {
      value = value + 0.7 * outputs[own].regulariser;
      result.regularisers.push_back(outputs[own].regulariser.item<double>());
    }
    all = all.defined() ? all + value : value;
    result.predictions.push_back(outputs[own].prediction.detach());
    result.rows.push_back(graph.part(own).rows);
  }
  all.backward();
  for (const auto& copy : copies) {
    auto& gradients = result.gradients.emplace_back();
    for (const auto& item : copy->named_parameters()) {
      gradients.push_back(item.value().grad().defined() ? item.value().grad().clone() : at::zeros_like(item.value()));
    }
  }
  return result;
}

}  // namespace factorgcn::testing
