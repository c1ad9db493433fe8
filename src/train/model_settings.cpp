// A model asks for other settings on node types than on values, and for nodes than for graphs: it is built for each.
#include "factorgcn/train/model_settings.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "factorgcn/classic/registry.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/model_table.h"

namespace factorgcn {
namespace {

/// Two graphs of two classes, for models that look at data before they say what they know.
Dataset smallest_dataset() {
  Dataset dataset;
  dataset.name = "smallest";
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = 2;
  dataset.num_node_types = 1;
  const at::Tensor types = at::zeros({2}, at::kLong);
  const std::vector<Graph> graphs{{"a", 2, {0, 1}, {1, 0}, types}, {"b", 2, {0, 1}, {1, 0}, types}};
  dataset.graphs = make_store(graphs);
  dataset.targets = at::zeros({2}, at::kLong);
  dataset.targets.data_ptr<std::int64_t>()[1] = 1;
  dataset.split.train = {0, 1};
  return dataset;
}

void build_network_kinds(const ModelEntry& entry) {
  for (const Task task : entry.tasks) {
    for (const bool types : {false, true}) {
      ModelInput input{task, types ? 0 : 3, types ? 3 : 0, 2, 2};
      input.edge_weights = true;
      entry.make(input, {}, 0);
    }
  }
}

void build_classic(const ClassicEntry& entry) {
  const Dataset dataset = smallest_dataset();
  if (entry.machine != nullptr) {
    entry.machine(dataset, {});
  } else {
    entry.network(entry.view(dataset, {}), {}, 0);
  }
}

}  // namespace

std::vector<SettingFact> model_settings(const std::string& model) {
  check_model_name(model);
  SettingsRecorder recorder;
  const auto network =
      std::find_if(models().begin(), models().end(), [&](const ModelEntry& entry) { return entry.name == model; });
  if (network != models().end()) {
    build_network_kinds(*network);
  } else {
    build_classic(*find_classic(model));
  }
  std::vector<SettingFact> facts;
  for (const SettingFact& fact : recorder.facts) {
    const auto same = [&](const SettingFact& other) { return other.name == fact.name; };
    if (std::none_of(facts.begin(), facts.end(), same)) {
      facts.push_back(fact);
    }
  }
  return facts;
}

}  // namespace factorgcn
