// The kernel machines of the registry, one maker each. Features are made when first asked for and then kept.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "factorgcn/classic/registry.h"

namespace factorgcn {

KernelMachine wl_subtree_machine(const Dataset& dataset, const Settings& settings);
KernelMachine awl_machine(const Dataset& dataset, const Settings& settings);

/// Costs, folds and tolerance, which every machine takes alike.
ChoiceOptions read_choice_options(SettingsReader& reader, const std::string& owner);

/// `make`, but each set is made once.
std::function<SparseFeatures(std::size_t)> keep_features(std::size_t count,
                                                         std::function<SparseFeatures(std::size_t)> make);

}  // namespace factorgcn
