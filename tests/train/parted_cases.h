// A data set cut into parts in a folder of its own, and networks on them.
#pragma once

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

/// Copies of a network for the parts here, sharing its weights.
inline PartNetworks copies_of(GraphModel& model, const FactorGcnOptions& options, std::size_t parts) {
  PartNetworks copies;
  for (std::size_t part = 0; part < parts; ++part) {
    copies.push_back(std::make_shared<FactorGcn>(options, 99));
    share_weights(model, *copies.back());
  }
  return copies;
}

}  // namespace factorgcn::testing
