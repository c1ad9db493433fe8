// The models known by name. A new model is one new file and one line in registry.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

/// What a data set asks of a model.
struct FACTORGCN_API ModelInput {
  Task task = Task::kMultiLabel;
  std::int64_t in_features = 0;  ///< columns of float features, 0 for node types
  std::int64_t node_types = 0;
  std::int64_t outputs = 0;
  std::int64_t edge_types = 0;  ///< 0 where edges have none
  bool edge_weights = false;    ///< edges have weights
};

FACTORGCN_API ModelInput model_input(const Dataset& dataset);

struct FACTORGCN_API ModelEntry {
  std::string name;
  std::string summary;      ///< one line for `factorgcn models`
  std::string paper;        ///< where it comes from
  std::vector<Task> tasks;  ///< what it can be trained for
  std::shared_ptr<GraphModel> (*make)(const ModelInput& input, const Settings& settings, std::uint64_t seed);
  bool needs_edge_types = false;
  bool trained = true;              ///< false: it has nothing to learn and is only scored
  bool regularised = false;         ///< its forward() gives a regulariser, which lambda is the weight of
  bool takes_edge_weights = false;  ///< the setting edge_weights, of all networks, has a meaning for it
};

FACTORGCN_API const std::vector<ModelEntry>& models();

/// Lists a model of the program's own. To be called before names are looked up: entries may move. Throws UsageError
/// where the name is taken.
FACTORGCN_API void add_model(ModelEntry entry);

/// Throws UsageError listing the known names where `name` is not one of them.
FACTORGCN_API const ModelEntry& find_model(const std::string& name);

/// Why the model cannot serve such data, as a sentence that follows its name: "needs edge types; ...". Empty: it can.
FACTORGCN_API std::string misfit(const ModelEntry& entry, const ModelInput& input);

/// Builds a model; throws UsageError where it does not fit the task or a setting is unknown or out of range.
FACTORGCN_API std::shared_ptr<GraphModel> make_model(const std::string& name, const ModelInput& input,
                                                     const Settings& settings, std::uint64_t seed);

}  // namespace factorgcn
