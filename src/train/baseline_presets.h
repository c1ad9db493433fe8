// Settings of the systems that the paper compares with, as rows of the table of presets.
#pragma once

#include <vector>

#include "factorgcn/train/presets.h"

namespace factorgcn {

void add_baseline_presets(std::vector<PresetEntry>& table);

}  // namespace factorgcn
