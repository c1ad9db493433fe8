// Published configurations of the models in classic/registry.h.
#pragma once

#include <vector>

#include "factorgcn/train/presets.h"

namespace factorgcn {

/// The table, followed by the presets of the classic models.
std::vector<PresetEntry> with_classic_presets(std::vector<PresetEntry> table);

}  // namespace factorgcn
