// One recipe: a cycle of the learning rate over all epochs, and further starts as insurance. Starts are compared when
// the mechanisms are at full strength, a good third of the way.
#include "train/aligned_presets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

using nlohmann::json;

json aligned_layer(std::int64_t starts, std::int64_t epochs, std::int64_t batch_size, const json& settings) {
  return {{"epochs", epochs},
          {"batch_size", batch_size},
          {"learning_rate", 0.002},
          {"weight_decay", 0.0},
          {"clip_norm", 5.0},
          {"lambda", 1.0},
          {"patience", 0},
          {"starts", starts},
          {"start_epochs", epochs * 2 / 5},
          {"schedule", {{"kind", "one_cycle"}}},
          {"metric_layer", 1},
          {"model_settings", settings}};
}

json aligned_synthetic(const PresetInput& input) {
  json settings{{"hidden", 64}, {"edge_weights", true}};
  // With three parts in a graph, coefficients would fall below one half everywhere without a stronger cover, and there
  // is more to find out.
  if (input.relation_types > 4) {
    settings["cover"] = 2.0;
    return aligned_layer(2, 120, 500, settings);
  }
  const bool easy = input.relation_types <= 3;
  return aligned_layer(easy ? 2 : 3, easy ? 40 : 80, 500, settings);
}

}  // namespace

void add_aligned_presets(std::vector<PresetEntry>& table) {
  table.push_back({"synthetic", "aligned", "ours",
                   "hidden 64, Adam 0.002 in one cycle of 40 to 120 epochs, 2 or 3 starts", aligned_synthetic});
}

json aligned_default(const PresetInput& input) {
  // Enough steps for small data, and batches in which every label has several donors.
  constexpr std::int64_t kStepsAnEpoch = 28;
  const std::int64_t batch = std::clamp<std::int64_t>(input.training / kStepsAnEpoch, 64, 500);
  return aligned_layer(2, 80, batch, {{"hidden", 64}});
}

}  // namespace factorgcn
