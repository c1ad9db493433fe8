// Architectures and sizes are the paper's where it gives them. For ZINC and PATTERN the rest follows Dwivedi et al.,
// Benchmarking Graph Neural Networks (about four layers, widths for some 100,000 parameters), for the TU sets Xu et
// al., How Powerful are Graph Neural Networks?, and for the synthetic data FactorGCN's own training.
#include "train/baseline_presets.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace factorgcn {
namespace {

using nlohmann::json;

const char* const kModels[] = {"mlp",   "gcn",      "gat",        "gat_dis", "disengcn", "ipgdn",
                               "monet", "gatedgcn", "gatedgcn_e", "gin",     "graphsage"};

/// What a model has beside the sizes all of them have.
json own_settings(const std::string& model) {
  if (model == "gat" || model == "gat_dis") {
    return {{"heads", 8}, {"activation", "elu"}};
  }
  if (model == "disengcn" || model == "ipgdn") {
    return {{"capsules", 4}, {"rounds", 8}, {"residual", false}};
  }
  if (model == "monet") {
    return {{"kernels", 3}};
  }
  return json::object();
}

json with(json settings, const json& more) {
  settings.update(more);
  return settings;
}

/// Weight of the regulariser: HSIC for ipgdn, the discriminator's loss for gat_dis as in FactorGCN.
double lambda_of(const std::string& model, double discriminator) {
  return model == "ipgdn" ? 0.1 : model == "gat_dis" ? discriminator : 0.0;
}

json synthetic_layer(const std::string& model, const PresetInput& input) {
  json settings = with({{"hidden", input.relation_types > 4 ? 64 : 32},
                        {"layers", 3},
                        {"batch_norm", false},
                        {"residual", false},
                        {"activation", "relu"},
                        {"readout", "mean_tanh"}},
                       own_settings(model));
  if (model == "mlp") {
    settings["readout"] = "mean_relu";
  } else if (model == "gcn") {
    settings["activation"] = "tanh";
  } else if (model == "gat" || model == "gat_dis") {
    settings["residual"] = true;
  } else if (model == "disengcn" || model == "ipgdn") {
    settings["layers"] = 2;
  } else if (model == "gin") {
    settings["epsilon"] = -1.0;  // these graphs have self loops
  }
  return {{"epochs", 80},
          {"batch_size", 1000},
          {"learning_rate", 0.005},
          {"weight_decay", 5e-5},
          {"lambda", lambda_of(model, 0.5)},
          {"schedule", {{"kind", "none"}}},
          {"metric_layer", 1},
          {"model_settings", settings}};
}

/// Width of each layer for about 100,000 parameters in four layers.
std::int64_t benchmark_width(const std::string& model) {
  static const std::map<std::string, std::int64_t> widths{
      {"mlp", 150},  {"gcn", 146},     {"gat", 144},       {"gat_dis", 144}, {"disengcn", 128}, {"ipgdn", 128},
      {"monet", 90}, {"gatedgcn", 70}, {"gatedgcn_e", 70}, {"gin", 110},     {"graphsage", 108}};
  return widths.at(model);
}

json benchmark_settings(const std::string& model, const char* readout) {
  const std::int64_t width = benchmark_width(model);
  json settings = with({{"embedding", width},
                        {"hidden", width},
                        {"layers", model == "mlp" ? 3 : 4},
                        {"batch_norm", true},
                        {"size_norm", true},
                        {"residual", true},
                        {"activation", "relu"},
                        {"readout", readout}},
                       own_settings(model));
  if (model == "gat" || model == "gat_dis") {
    settings["embedding"] = 36;  // so that the residual begins with the second layer
  } else if (model == "disengcn" || model == "ipgdn") {
    settings["rounds"] = 5;
    settings["keep_length"] = true;  // PATTERN's nodes differ by the number of their neighbours
  }
  return settings;
}

json zinc_layer(const std::string& model, const PresetInput& /*input*/) {
  json settings = benchmark_settings(model, "mean_mlp");
  if (model == "disengcn" || model == "ipgdn") {
    settings["capsules"] = 8;
  }
  return {{"epochs", 300},
          {"batch_size", 128},
          {"learning_rate", 0.001},
          {"weight_decay", 0.0},
          {"lambda", lambda_of(model, 0.2)},
          {"schedule", {{"kind", "plateau"}, {"factor", 0.5}, {"patience", 10}, {"floor", 1e-5}}},
          {"metric_layer", 2},
          {"model_settings", settings}};
}

json pattern_layer(const std::string& model, const PresetInput& /*input*/) {
  return {{"epochs", 15},
          {"batch_size", 64},
          {"learning_rate", 0.001},
          {"weight_decay", 0.0},
          {"lambda", lambda_of(model, 0.2)},
          {"schedule", {{"kind", "none"}}},
          {"metric_layer", 0},
          {"model_settings", benchmark_settings(model, "node_mlp")}};
}

json tu_layer(const std::string& model, const PresetInput& /*input*/) {
  json settings = with({{"embedding", 0},
                        {"hidden", 64},
                        {"layers", 4},
                        {"batch_norm", true},
                        {"residual", false},
                        {"activation", "relu"},
                        {"readout", "layer_sum"},
                        {"dropout", 0.5}},
                       own_settings(model));
  if (model == "gin") {
    settings["epsilon"] = -1.0;  // these graphs have self loops
  }
  return {{"epochs", 350},
          {"batch_size", 32},
          {"learning_rate", 0.01},
          {"weight_decay", 0.0},
          {"lambda", lambda_of(model, 0.5)},
          {"schedule", {{"kind", "step"}, {"factor", 0.5}, {"every", 50}}},
          {"metric_layer", 1},
          {"model_settings", settings}};
}

using Layer = json (*)(const std::string& model, const PresetInput& input);

struct Kind {
  const char* dataset;
  Layer layer;
  const char* summary;
};

const Kind kKinds[] = {
    {"synthetic", synthetic_layer, "the paper's sizes, trained as factorgcn: Adam 0.005, 80 epochs"},
    {"zinc", zinc_layer, "some 100,000 parameters, batch norm, Adam 0.001 halved on plateaus, 300 epochs"},
    {"pattern", pattern_layer, "some 100,000 parameters, batch norm, Adam 0.001, 15 epochs"},
    {"mutag", tu_layer, "four layers of 64, sum of all layers, Adam 0.01 halved every 50 of 350 epochs"},
    {"imdb-b", tu_layer, "four layers of 64, sum of all layers, Adam 0.01 halved every 50 of 350 epochs"},
    {"collab", tu_layer, "four layers of 64, sum of all layers, Adam 0.01 halved every 50 of 350 epochs"},
};

}  // namespace

void add_baseline_presets(std::vector<PresetEntry>& table) {
  for (const std::string model : kModels) {
    for (const Kind& kind : kKinds) {
      if (model == "gatedgcn_e" && std::string(kind.dataset) != "zinc") {
        continue;  // the others have no edge types
      }
      const Layer layer = kind.layer;
      table.push_back({kind.dataset, model, "published", kind.summary,
                       [layer, model](const PresetInput& input) { return layer(model, input); }});
    }
  }
}

}  // namespace factorgcn
