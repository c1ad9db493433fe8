// The models that are not trained end to end by the usual trainer. A new one is one new file and one line in
// registry.cpp.
//
// A kernel machine turns graphs into features and chooses a support vector machine on them (classic/svm_choice.h). A
// network on a view is trained like any other, but sees another data set than the one on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/classic/svm_choice.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

struct FACTORGCN_API KernelMachine {
  FeatureChoices choices;
  ChoiceOptions options;  ///< the seed is the run's
};

struct FACTORGCN_API ClassicEntry {
  std::string name;
  std::string summary;      ///< one line for `factorgcn models`
  std::string paper;        ///< where it comes from
  std::vector<Task> tasks;  ///< what it can be trained for

  /// Of a kernel machine, else null.
  KernelMachine (*machine)(const Dataset& dataset, const Settings& settings) = nullptr;

  /// Of a network on a view, else null.
  Dataset (*view)(const Dataset& dataset, const Settings& settings) = nullptr;
  std::shared_ptr<GraphModel> (*network)(const Dataset& view, const Settings& settings, std::uint64_t seed) = nullptr;
};

FACTORGCN_API const std::vector<ClassicEntry>& classic_models();

/// The entry of that name, or null.
FACTORGCN_API const ClassicEntry* find_classic(const std::string& name);

/// Throws UsageError, saying what the model does and what the data set asks for, where they do not fit.
FACTORGCN_API void check_classic_task(const ClassicEntry& entry, const Dataset& dataset);

/// The machine for a data set. The last one is kept, features included: the folds of a cross-validation share it.
FACTORGCN_API std::shared_ptr<const KernelMachine> kernel_machine(const ClassicEntry& entry, const Dataset& dataset,
                                                                  const Settings& settings);

/// The view of a network for a data set, with that data set's split. The last one's graphs are kept, for the same
/// reason.
FACTORGCN_API Dataset network_view(const ClassicEntry& entry, const Dataset& dataset, const Settings& settings);

}  // namespace factorgcn
