// One recipe: a cycle of the learning rate over all epochs, and further starts as insurance. Starts are compared when
// the mechanisms are at full strength, a good third of the way.
#include "train/aligned_presets.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

using nlohmann::json;

struct AlignedRecipe {
  std::int64_t starts = 2, epochs = 80, batch_size = 500;
  double learning_rate = 0.002;
  double begin = 0.15;  ///< of the mechanisms
};

json aligned_layer(const AlignedRecipe& recipe, json settings) {
  // They grow over 0.2 of the epochs; a little later starts can be told apart.
  constexpr double kGrown = 0.25;
  settings["begin"] = recipe.begin;
  settings["hidden"] = 64;
  return {{"epochs", recipe.epochs},
          {"batch_size", recipe.batch_size},
          {"learning_rate", recipe.learning_rate},
          {"weight_decay", 0.0},
          {"clip_norm", 5.0},
          {"lambda", 1.0},
          {"patience", 0},
          {"starts", recipe.starts},
          {"start_epochs", std::llround(static_cast<double>(recipe.epochs) * (recipe.begin + kGrown))},
          {"schedule", {{"kind", "one_cycle"}}},
          {"metric_layer", 1},
          {"model_settings", settings}};
}

json aligned_synthetic(const PresetInput& input) {
  // With three parts in a graph, equal coefficients in all factors are a place to stay at: cover is content with them.
  // Asking more strongly that factors of absent labels are empty, at a higher rate, leaves it within a few epochs; that
  // each edge is what it looks like, and that parts have sizes and lie by chance, says where to go.
  if (input.relation_types > 4) {
    return aligned_layer(
        {.epochs = 120, .learning_rate = 0.005},
        {{"edge_weights", true}, {"empty", 4.0}, {"cover", 2.0}, {"local", 5.0}, {"size", 10.0}, {"apart", 0.5}});
  }
  return aligned_layer(input.relation_types == 4 ? AlignedRecipe{.starts = 3} : AlignedRecipe{.epochs = 40},
                       {{"edge_weights", true}});
}

}  // namespace

void add_aligned_presets(std::vector<PresetEntry>& table) {
  table.push_back({"synthetic", "aligned", "ours",
                   "hidden 64, Adam 0.002 or 0.005 in one cycle of 40 to 120 epochs, 2 or 3 starts",
                   aligned_synthetic});
}

json aligned_default(const PresetInput& input) {
  // Enough steps for small data, and batches in which every label has several donors.
  constexpr std::int64_t kStepsAnEpoch = 28;
  const std::int64_t batch = std::clamp<std::int64_t>(input.training / kStepsAnEpoch, 64, 500);
  return aligned_layer({.batch_size = batch}, json::object());
}

}  // namespace factorgcn
