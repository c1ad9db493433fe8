// Presets of kernel machines and of PATCHY-SAN on the sets that the paper compares them on.
#include "train/classic_presets.h"

#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

using nlohmann::json;

json wl_small(const PresetInput& /*input*/) {
  return {{"model_settings", {{"rounds", {0, 1, 2, 3, 4, 5}}, {"normalised", true}, {"inner_folds", 10}}}};
}

/// Thousands of graphs: fewer inner folds tell as much.
json wl_large(const PresetInput& /*input*/) {
  return {{"model_settings", {{"rounds", {0, 1, 2, 3, 4}}, {"normalised", true}, {"inner_folds", 3}}}};
}

json awl_molecules(const PresetInput& /*input*/) {
  return {{"model_settings", {{"lengths", {3, 4, 5, 6, 7, 8, 9}}, {"kernels", "all"}, {"inner_folds", 10}}}};
}

json awl_small(const PresetInput& /*input*/) {
  return {{"model_settings", {{"lengths", {3, 4, 5, 6}}, {"kernels", "rbf"}, {"inner_folds", 5}}}};
}

json awl_large(const PresetInput& /*input*/) {
  return {{"model_settings", {{"lengths", {5, 6}}, {"kernels", "rbf"}, {"gamma_powers", {1, 2}}, {"inner_folds", 3}}}};
}

/// The published network: 16 filters a field of 10, 8 along them, 128 units.
json patchy_san_layer(const PresetInput& /*input*/) {
  return {{"epochs", 50},
          {"batch_size", 32},
          {"learning_rate", 0.001},
          {"weight_decay", 0.0},
          {"lambda", 0.0},
          {"schedule", {{"kind", "none"}}},
          {"metric_layer", 0},
          {"model_settings",
           {{"field_size", 10}, {"ranking", "degree"}, {"edges", true}, {"hidden", 128}, {"dropout", 0.5}}}};
}

}  // namespace

std::vector<PresetEntry> with_classic_presets(std::vector<PresetEntry> table) {
  const std::vector<PresetEntry> classic{
      {"mutag", "wl_subtree", "published", "0 to 5 rounds, C 0.001 to 1000, chosen in 10 inner folds", wl_small},
      {"imdb-b", "wl_subtree", "published", "as for mutag; a node's label is its degree", wl_small},
      {"collab", "wl_subtree", "published", "0 to 4 rounds in 3 inner folds; a node's label is its degree", wl_large},
      {"mutag", "awl", "published", "walks of 3 to 9 steps, three kinds of kernels", awl_molecules},
      {"imdb-b", "awl", "published", "walks of 3 to 6 steps, rbf", awl_small},
      {"collab", "awl", "published", "walks of 5 and 6 steps, rbf", awl_large},
      {"mutag", "patchy_san", "published", "fields of 10 by degree, 16 and 8 filters, 128 units, 50 epochs",
       patchy_san_layer},
      {"imdb-b", "patchy_san", "published", "as for mutag; a node's label is its degree", patchy_san_layer},
      {"collab", "patchy_san", "published", "as for imdb-b", patchy_san_layer},
  };
  table.insert(table.end(), classic.begin(), classic.end());
  return table;
}

}  // namespace factorgcn
