// The settings that a model knows, for people: found by building it and listening to what it asks for.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"

namespace factorgcn {

/// By name, in the order in which the model asks for them, on any data and task it serves. Throws UsageError for an
/// unknown model. Cost: builds small networks.
FACTORGCN_API std::vector<SettingFact> model_settings(const std::string& model);

}  // namespace factorgcn
