// The table of presets. Values come from the published configuration.
#include "factorgcn/train/presets.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"

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

}  // namespace

const std::vector<PresetEntry>& presets() {
  static const std::vector<PresetEntry> table{
      {"synthetic", "factorgcn", "published", "two layers, K then K/2 factors, Adam 0.005, 80 epochs",
       synthetic_factorgcn},
  };
  return table;
}

json preset_layer(const PresetInput& input, const std::string& model, const std::string& preset) {
  if (preset == "none") {
    return json::object();
  }
  std::vector<std::string_view> names{"none"};
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
