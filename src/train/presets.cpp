// The table of presets. Values come from the published configuration.
#include "factorgcn/train/presets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "train/aligned_presets.h"
#include "train/baseline_presets.h"
#include "train/classic_presets.h"
#include "train/default_presets.h"

namespace factorgcn {
namespace {

using nlohmann::json;

/// Factors of the first layer for 2 .. 6 predefined graphs: the least power of two that is not fewer, since the
/// hidden width must divide by it. Slightly more than the truth, as the paper recommends.
std::int64_t synthetic_factors(std::int64_t relation_types) {
  constexpr std::array<std::int64_t, 5> kFactors{2, 4, 4, 8, 8};
  const std::int64_t index = std::clamp<std::int64_t>(relation_types, 2, 6) - 2;
  return kFactors[static_cast<std::size_t>(index)];
}

json synthetic_factorgcn(const PresetInput& input) {
  const std::int64_t factors = synthetic_factors(input.relation_types);
  return {{"epochs", 80},
          {"batch_size", 1000},
          {"learning_rate", 0.005},
          {"weight_decay", 5e-5},
          {"lambda", 0.5},
          {"schedule", {{"kind", "none"}}},
          {"metric_layer", 1},
          {"model_settings",
           {{"hidden", input.relation_types > 4 ? 64 : 32},
            {"factors", {factors, std::max<std::int64_t>(factors / 2, 1)}},
            {"gate_scale", 6.0},
            {"norm", "source"},
            {"activation", "leaky_relu"},
            {"slope", 0.2},
            {"batch_norm", false},
            {"readout", "mean_tanh"}}}};
}

/// ZINC and PATTERN share their blocks: 144 columns, size norm, batch norm, LeakyReLU.
json wide_blocks(const std::vector<std::int64_t>& factors, const char* readout) {
  return {{"embedding", 36},   {"hidden", 144},      {"factors", factors},
          {"gate_scale", 6.0}, {"norm", "source"},   {"activation", "leaky_relu"},
          {"slope", 0.2},      {"batch_norm", true}, {"size_norm", true},
          {"readout", readout}};
}

json zinc_factorgcn(const PresetInput& /*input*/) {
  return {
      {"epochs", 500},          {"batch_size", 1000},
      {"learning_rate", 0.002}, {"weight_decay", 0.0},
      {"lambda", 0.2},          {"schedule", {{"kind", "plateau"}, {"factor", 0.5}, {"patience", 50}, {"floor", 1e-5}}},
      {"metric_layer", 2},      {"model_settings", wide_blocks({8, 8, 4, 2}, "mean_mlp")}};
}

json pattern_factorgcn(const PresetInput& /*input*/) {
  json blocks = wide_blocks({4, 2, 2}, "node_mlp");
  blocks["node_types"] = 200;  // the published embedding has rows for far more than the three signals
  return {{"epochs", 15},        {"batch_size", 64},        {"learning_rate", 0.001},
          {"weight_decay", 0.0}, {"lambda", 0.2},           {"schedule", {{"kind", "none"}}},
          {"metric_layer", 0},   {"model_settings", blocks}};
}

/// MUTAG, IMDB-B and COLLAB share one configuration.
json tu_factorgcn(const PresetInput& /*input*/) {
  return {{"epochs", 500},
          {"batch_size", 64},
          {"learning_rate", 0.01},
          {"weight_decay", 5e-4},
          {"lambda", 0.5},
          {"schedule", {{"kind", "step"}, {"factor", 0.5}, {"every", 100}}},
          {"metric_layer", 1},
          {"model_settings",
           {{"embedding", 0},
            {"hidden", 64},
            {"factors", {4, 4, 2, 2, 1}},
            {"gate_scale", 6.0},
            {"norm", "source"},
            {"activation", "relu"},
            {"batch_norm", true},
            {"readout", "layer_sum"},
            {"dropout", 0.4}}}};
}

}  // namespace

const std::vector<PresetEntry>& presets() {
  static const std::vector<PresetEntry> table = [] {
    std::vector<PresetEntry> entries{
        {"synthetic", "factorgcn", "published", "two layers, K then K/2 factors, Adam 0.005, 80 epochs",
         synthetic_factorgcn},
        {"zinc", "factorgcn", "published", "four layers of 144, batch norm, Adam 0.002 halved on plateaus, 500 epochs",
         zinc_factorgcn},
        {"pattern", "factorgcn", "published", "three layers of 144, batch norm, Adam 0.001, 15 epochs",
         pattern_factorgcn},
        {"mutag", "factorgcn", "published",
         "five layers of 64, sum of all layers, Adam 0.01 halved every 100 of 500 epochs", tu_factorgcn},
        {"imdb-b", "factorgcn", "published", "as for mutag", tu_factorgcn},
        {"collab", "factorgcn", "published", "as for mutag", tu_factorgcn},
    };
    add_aligned_presets(entries);
    add_baseline_presets(entries);
    return with_classic_presets(std::move(entries));
  }();
  return table;
}

std::string usual_preset(const std::string& dataset, const std::string& model) {
  for (const PresetEntry& entry : presets()) {
    if (entry.dataset == dataset && entry.model == model) {
      return entry.preset;
    }
  }
  return "default";
}

json preset_layer(const PresetInput& input, const std::string& model, const std::string& preset) {
  if (preset == "none") {
    return json::object();
  }
  if (preset == "default") {
    return default_preset(input, model);
  }
  std::vector<std::string_view> names{"default", "none"};
  for (const PresetEntry& entry : presets()) {
    if (entry.dataset != input.dataset || entry.model != model) {
      continue;
    }
    if (entry.preset == preset) {
      return entry.layer(input);
    }
    names.push_back(entry.preset);
  }
  throw UsageError(concat("no preset '", preset, "' for model ", model, " on data set ", input.dataset,
                          known_names_hint(preset, names)));
}

}  // namespace factorgcn
