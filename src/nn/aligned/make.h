// The aligned model's place in the table of models.
#pragma once

#include <cstdint>
#include <memory>

#include "factorgcn/nn/registry.h"

namespace factorgcn::aligned {

/// Reads its settings.
std::shared_ptr<GraphModel> make_aligned(const ModelInput& input, const Settings& settings, std::uint64_t seed);

}  // namespace factorgcn::aligned
