// Published configurations by name: which settings a (data set, model, preset) starts from.
//
// A preset is a layer of the configuration (train/run_config.h). A new one is one more row of the table in presets.cpp.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct PartsManifest;

/// What a preset may look at: a data set's own settings decide some sizes.
struct FACTORGCN_API PresetInput {
  std::string dataset;              ///< the data set's name, e.g. "synthetic", also where it was read from a file
  std::int64_t relation_types = 0;  ///< types of the ground truth; 0 where unknown
  Task task = Task::kNone;          ///< kNone where unknown
  std::vector<std::int64_t> parts =
      {};  ///< factors, heads or capsules that are asked for: the width shall divide by them
  // What look_at_data() sees; 0 where nobody has looked.
  std::int64_t graphs = 0, nodes = 0;
  std::int64_t training = 0;  ///< graphs or nodes to learn from
  std::int64_t outputs = 0;   ///< labels, classes or values to predict
  std::int64_t columns = 0;   ///< of feature values; 0 for node types
  bool loops = false;         ///< nodes have self loops for training
  bool sparse = false;        ///< features are sparse
  bool bags = false;          ///< features are sparse, none below 0
  bool uneven = false;        ///< some values lie far from the usual -1 .. 1
};

/// What the default preset goes by. Looks at the training part's targets and at features, at nothing else.
/// Cost: O(values + edges).
FACTORGCN_API void look_at_data(const Dataset& dataset, PresetInput& input);

/// The same of one graph in parts (io/part_files.h).
FACTORGCN_API void look_at_parts(const PartsManifest& manifest, PresetInput& input);

struct FACTORGCN_API PresetEntry {
  std::string dataset, model, preset;
  std::string summary;  ///< one line
  std::function<nlohmann::json(const PresetInput& input)> layer;
};

FACTORGCN_API const std::vector<PresetEntry>& presets();

/// The preset that a run starts from where none is chosen: the first that data set and model have ("published", or
/// "ours" for the model `aligned`), else "default".
FACTORGCN_API std::string usual_preset(const std::string& dataset, const std::string& model);

/// The preset's layer. "none" is an empty object; "default" gives sensible settings for data that the paper does not
/// have. Throws UsageError listing what exists otherwise.
FACTORGCN_API nlohmann::json preset_layer(const PresetInput& input, const std::string& model,
                                          const std::string& preset);

}  // namespace factorgcn
