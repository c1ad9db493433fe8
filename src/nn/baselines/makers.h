// The makers of the compared systems, for the table in nn/registry.cpp. Each reads its own settings.
#pragma once

#include <cstdint>
#include <memory>

#include "factorgcn/nn/registry.h"

namespace factorgcn::baselines {

using ModelPointer = std::shared_ptr<GraphModel>;

ModelPointer make_mlp(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gcn(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gat(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gat_dis(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_disengcn(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_ipgdn(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_monet(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gatedgcn(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gatedgcn_e(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_gin(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_graphsage(const ModelInput& input, const Settings& settings, std::uint64_t seed);
ModelPointer make_random(const ModelInput& input, const Settings& settings, std::uint64_t seed);

}  // namespace factorgcn::baselines
