// Settings for data that nobody has published any for: chosen by the task, the size of the data and the number of
// labels. How they were found, and on which data, is told in docs/own-graphs.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "factorgcn/train/presets.h"

namespace factorgcn {

nlohmann::json default_preset(const PresetInput& input, const std::string& model);

}  // namespace factorgcn
