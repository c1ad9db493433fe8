// One function per kind of task. Where a choice depends on the data, the reason stands beside it.
#include "train/default_presets.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "factorgcn/data/feature_facts.h"
#include "factorgcn/io/part_files.h"
#include "train/aligned_presets.h"

namespace factorgcn {
namespace {

using nlohmann::json;

/// The multiple of all parts that is nearest to `wanted` from above.
std::int64_t divisible_width(std::int64_t wanted, const std::vector<std::int64_t>& parts) {
  std::int64_t common = 1;
  for (const std::int64_t part : parts) {
    if (part < 1 || part > 1024 || common > 65536) {
      return wanted;  // whoever builds the model says what is wrong
    }
    common = std::lcm(common, part);
  }
  return (wanted + common - 1) / common * common;
}

/// True for this library's own networks, which share the settings given here; a program's own models may have none.
bool has_shell(const std::string& model) {
  constexpr const char* kNetworks[] = {"factorgcn", "mlp",   "gcn",      "gat", "gat_dis",   "disengcn",
                                       "ipgdn",     "monet", "gatedgcn", "gin", "graphsage", "gatedgcn_e"};
  return std::find(std::begin(kNetworks), std::end(kNetworks), model) != std::end(kNetworks);
}

bool is_factor_model(const std::string& model) { return model == "factorgcn"; }

/// Weight of the regulariser, for models that have one.
void add_lambda(json& layer, const std::string& model, double discriminator) {
  layer["lambda"] = model == "factorgcn" || model == "gat_dis" ? discriminator : model == "ipgdn" ? 0.1 : 0.0;
}

/// Bags become shares; dense columns far from each other in size are brought to one size.
const char* scale_for(const PresetInput& input) {
  return input.bags ? "rows" : input.uneven && !input.sparse ? "standard" : "none";
}

/// Slightly more factors than relations, where these are known, as the paper recommends.
std::int64_t first_factors(const PresetInput& input) { return input.relation_types <= 4 ? 4 : 8; }

/// Some fifty labels of each class: with fewer, strong weight decay is what keeps single labels from being learnt by
/// heart.
bool few_labels(const PresetInput& input) { return input.training <= 50 * std::max<std::int64_t>(input.outputs, 1); }

constexpr std::int64_t kManyColumns = 256;

/// What all networks share for the classes of nodes.
json node_settings(const PresetInput& input, const std::string& model) {
  json settings{{"hidden", divisible_width(64, input.parts)},
                {"batch_norm", false},
                {"readout", "node_linear"},
                {"activation", model == "gat" || model == "gat_dis" ? "elu" : "relu"}};
  if (input.columns > 0) {
    settings["scale"] = scale_for(input);
  }
  // Many columns and few labels: whatever single columns say by chance would be learnt by heart.
  settings["input_dropout"] = input.columns >= kManyColumns ? 0.5 : 0.0;
  return settings;
}

json node_preset(const PresetInput& input, const std::string& model) {
  const bool few = few_labels(input);
  json layer{{"epochs", 400},         {"batch_size", 64},
             {"learning_rate", 0.01}, {"weight_decay", !few ? 5e-4 : is_factor_model(model) ? 1e-3 : 7e-4},
             {"patience", 100},       {"schedule", {{"kind", "none"}}},
             {"metric_layer", 1}};
  json settings = node_settings(input, model);
  if (is_factor_model(model)) {
    // A factor's features are hidden / factors wide, and softer gates keep more of the graph in every factor. The last
    // layer has one factor, which reads what those of the first have found.
    constexpr std::int64_t kManyNodes = 20'000;
    settings["hidden"] = divisible_width(input.nodes > kManyNodes ? 128 : 256, input.parts);
    settings["gate_scale"] = few ? 1.0 : 2.0;
    settings["factors"] = {first_factors(input), 1};
    settings["norm"] = "symmetric";
    if (few && input.columns >= kManyColumns) {
      settings["input_dropout"] = 0.7;  // a wide layer learns by heart sooner than the others
    }
  } else {
    settings["layers"] = 2;
    // Capsules are unit vectors, and gin sums a node in itself.
    settings["residual"] = model != "disengcn" && model != "ipgdn" && model != "gin";
  }
  settings["dropout"] = few ? 0.7 : 0.5;
  if (model == "gin" && input.loops) {
    settings["epsilon"] = -1.0;  // a node is in its own sum already
  }
  add_lambda(layer, model, 0.2);
  if (has_shell(model)) {
    layer["model_settings"] = settings;
  }
  return layer;
}

/// Small batches and batch norm are forgiving; the rate falls when nothing improves any more. No dropout: tried, and no
/// better (docs/own-graphs.md).
json graph_preset(const PresetInput& input, const std::string& model) {
  json layer{
      {"epochs", 200},          {"batch_size", 64},
      {"learning_rate", 0.005}, {"weight_decay", 5e-4},
      {"patience", 60},         {"schedule", {{"kind", "plateau"}, {"factor", 0.5}, {"patience", 20}, {"floor", 1e-5}}},
      {"metric_layer", 1}};
  add_lambda(layer, model, 0.2);
  json settings = json::object();
  if (is_factor_model(model)) {
    settings = {{"hidden", divisible_width(64, input.parts)},
                {"factors", {first_factors(input), first_factors(input) / 2}},
                {"batch_norm", true},
                {"readout", "mean_mlp"}};
  } else if (!input.parts.empty()) {
    settings["hidden"] = divisible_width(64, input.parts);
  }
  if (model == "gin" && input.loops) {
    settings["epsilon"] = -1.0;
  }
  if (input.columns > 0) {
    settings["scale"] = scale_for(input);
  }
  if (has_shell(model)) {
    layer["model_settings"] = settings;
  }
  return layer;
}

}  // namespace

json default_preset(const PresetInput& input, const std::string& model) {
  if (model == "aligned") {
    return aligned_default(input);
  }
  return is_node_task(input.task) ? node_preset(input, model) : graph_preset(input, model);
}

void look_at_data(const Dataset& dataset, PresetInput& input) {
  const GraphStore& store = dataset.graphs;
  input.graphs = store.num_graphs();
  input.nodes = store.num_nodes();
  input.training = static_cast<std::int64_t>(dataset.split.train.size());
  input.outputs = dataset.num_outputs;
  input.loops = dataset.added_self_loops > 0;
  if (dataset.num_node_types > 0) {
    return;
  }
  input.columns = store.features.size(1);
  const FeatureFacts facts = feature_facts(store.features);
  input.sparse = facts.sparse;
  input.bags = facts.bags;
  input.uneven = facts.uneven;
}

void look_at_parts(const PartsManifest& manifest, PresetInput& input) {
  input.graphs = 1;
  input.nodes = manifest.nodes;
  input.training = manifest.total(&PartEntry::train);
  input.outputs = manifest.outputs;
  input.loops = manifest.added_self_loops > 0;
  input.columns = manifest.feature_columns;
  input.sparse = manifest.sparse_features;
  input.bags = manifest.bags;
  input.uneven = manifest.uneven;
}

}  // namespace factorgcn
