// The table of models.
#include "factorgcn/nn/registry.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/factor_gcn.h"

namespace factorgcn {
namespace {

std::shared_ptr<GraphModel> make_factor_gcn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model factorgcn");
  FactorGcnOptions options;
  options.in_features = input.in_features;
  options.node_types = input.node_types;
  options.outputs = input.outputs;
  const bool per_node = is_node_task(input.task);
  constexpr std::int64_t kWidest = 1 << 16;
  // A published network may have rows for more types than its data.
  if (input.node_types > 0) {
    options.node_types = reader.integer("node_types", input.node_types, input.node_types, 1 << 24);
    options.embedding = reader.integer("embedding", options.embedding, 0, kWidest);
  }
  options.hidden = reader.integer("hidden", options.hidden, 1, kWidest);
  options.factors = reader.integers("factors", options.factors);
  options.gate_scale = reader.number("gate_scale", options.gate_scale, 1e-6, 1e6);
  options.norm = edge_norm_from_name(reader.text("norm", edge_norm_name(options.norm)));
  options.batch_norm = reader.boolean("batch_norm", options.batch_norm);
  options.size_norm = reader.boolean("size_norm", options.size_norm);
  options.activation = activation_from_name(reader.text("activation", activation_name(options.activation)));
  options.slope = reader.number("slope", options.slope, 0, 1);
  options.readout =
      readout_from_name(reader.text("readout", readout_name(per_node ? Readout::kNodeMlp : Readout::kMeanTanh)));
  options.dropout = reader.number("dropout", options.dropout, 0, 0.999);
  options.discriminator = reader.boolean("discriminator", options.discriminator);
  options.discriminator_depth =
      static_cast<int>(reader.integer("discriminator_depth", options.discriminator_depth, 2, 3));
  reader.finish();
  require_usage(per_node == is_node_readout(options.readout), "model factorgcn: readout ",
                readout_name(options.readout), " does not fit a task of kind ", task_name(input.task));
  return std::make_shared<FactorGcn>(options, seed);
}

}  // namespace

ModelInput model_input(const Dataset& dataset) {
  ModelInput input;
  input.task = dataset.task;
  input.node_types = dataset.num_node_types;
  input.in_features = dataset.num_node_types > 0 ? 0 : dataset.graphs.features.size(1);
  input.outputs = dataset.num_outputs;
  return input;
}

const std::vector<ModelEntry>& models() {
  static const std::vector<ModelEntry> table{
      {"factorgcn",
       "takes each graph apart into weighted factor graphs and aggregates in each",
       "Yang et al., Factorizable Graph Convolutional Networks, NeurIPS 2020",
       {Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass},
       make_factor_gcn},
  };
  return table;
}

const ModelEntry& find_model(const std::string& name) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : models()) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  std::string known;
  for (const std::string& each : names) {
    known += (known.empty() ? "" : ", ") + each;
  }
  const std::string nearest = nearest_name(name, names);
  throw UsageError(concat("unknown model \"", name, "\"", nearest.empty() ? "" : "; did you mean " + nearest + "?",
                          " known models: ", known));
}

std::shared_ptr<GraphModel> make_model(const std::string& name, const ModelInput& input, const Settings& settings,
                                       std::uint64_t seed) {
  const ModelEntry& entry = find_model(name);
  require_usage(std::find(entry.tasks.begin(), entry.tasks.end(), input.task) != entry.tasks.end(), "model ", name,
                " cannot serve a task of kind ", task_name(input.task));
  return entry.make(input, settings, seed);
}

}  // namespace factorgcn
