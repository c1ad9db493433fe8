// Settings that somebody gave although they decide nothing: a slope where the activation has none, say.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "factorgcn/base/export.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

/// Throws UsageError for the first key of `given`, a layer of the configuration as a user wrote it, that has no effect
/// in `config`, the whole that became of it. What a preset brings is not looked at. Opens the data where settings of a
/// network were given, and builds it.
FACTORGCN_API void refuse_idle_settings(const nlohmann::json& given, const RunConfig& config, const OpenedData& data);

}  // namespace factorgcn
