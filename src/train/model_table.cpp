// The two registries as one table.
#include "factorgcn/train/model_table.h"

#include <string_view>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/classic/registry.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/nn/registry.h"

namespace factorgcn {

std::vector<ModelListing> all_models() {
  std::vector<ModelListing> result;
  for (const ModelEntry& entry : models()) {
    result.push_back({entry.name, entry.summary, entry.paper, entry.tasks});
  }
  for (const ClassicEntry& entry : classic_models()) {
    result.push_back({entry.name, entry.summary, entry.paper, entry.tasks});
  }
  return result;
}

void check_model_name(const std::string& name) {
  const std::vector<ModelListing> known = all_models();
  std::vector<std::string_view> names;
  for (const ModelListing& entry : known) {
    if (entry.name == name) {
      return;
    }
    names.push_back(entry.name);
  }
  throw UsageError(concat("unknown model \"", name, "\"", known_names_hint(name, names)));
}

bool is_kernel_machine(const std::string& model) {
  const ClassicEntry* const entry = find_classic(model);
  return entry != nullptr && entry->machine != nullptr;
}

bool has_own_view(const std::string& model) {
  const ClassicEntry* const entry = find_classic(model);
  return entry != nullptr && entry->view != nullptr;
}

std::shared_ptr<const Dataset> open_trained_data(const RunConfig& config, const OpenedData& data,
                                                 const MessageSink& messages) {
  const std::string& path = config.trained_on.path;
  require_usage(path.empty() || std::filesystem::exists(config.dataset), "the run's data are not found: ", path,
                " is not there, nor do they lie beside the run; give --dataset FILE");
  std::shared_ptr<const Dataset> dataset = data.open(config.dataset, config.data, messages);
  if (!data.accepts_changed_data()) {
    check_trained_on(config.trained_on, *dataset, config.dataset);
  }
  return dataset;
}

std::shared_ptr<const Dataset> open_run_data(const RunConfig& config, const OpenedData& data,
                                             const MessageSink& messages) {
  std::shared_ptr<const Dataset> dataset = open_trained_data(config, data, messages);
  const ClassicEntry* const entry = find_classic(config.model);
  if (entry == nullptr || entry->view == nullptr) {
    return dataset;
  }
  return std::make_shared<const Dataset>(network_view(*entry, *dataset, config.model_settings));
}

std::shared_ptr<GraphModel> build_network(const RunConfig& config, const PartsManifest& manifest) {
  ModelInput input;
  input.task = manifest.task;
  input.node_types = manifest.node_types;
  input.in_features = manifest.feature_columns;
  input.outputs = manifest.outputs;
  input.edge_weights = manifest.edge_weights;
  return make_model(config.model, input, config.model_settings, config.seed);
}

std::shared_ptr<GraphModel> build_network(const RunConfig& config, const Dataset& data) {
  const ClassicEntry* const entry = find_classic(config.model);
  if (entry == nullptr) {
    return make_model(config.model, model_input(data), config.model_settings, config.seed);
  }
  require(entry->network != nullptr, "model ", config.model, " is no network");
  return entry->network(data, config.model_settings, config.seed);
}

}  // namespace factorgcn
