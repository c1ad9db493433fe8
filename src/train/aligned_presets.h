// Settings of the model `aligned`: for the synthetic data as tried out there (docs/aligned.md), for other data the same
// recipe in sizes that fit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "factorgcn/train/presets.h"

namespace factorgcn {

void add_aligned_presets(std::vector<PresetEntry>& table);

/// For data of somebody's own.
nlohmann::json aligned_default(const PresetInput& input);

}  // namespace factorgcn
