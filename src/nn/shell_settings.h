// The settings that all networks have (docs/models.md).
#pragma once

#include <string>

#include "factorgcn/base/settings.h"
#include "factorgcn/nn/network_shell.h"
#include "factorgcn/nn/registry.h"

namespace factorgcn {

/// `options` holds what applies where nothing is given; networks that predict per node have a readout of that kind.
void read_shell(SettingsReader& reader, const ModelInput& input, const std::string& name, ShellOptions& options);

}  // namespace factorgcn
