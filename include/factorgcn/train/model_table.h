// All models that a run may name, whatever trains them: the networks of nn/registry.h and classic/registry.h's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

class GraphModel;
struct PartsManifest;

struct FACTORGCN_API ModelListing {
  std::string name, summary, paper;
  std::vector<Task> tasks;
};

FACTORGCN_API std::vector<ModelListing> all_models();

/// Throws UsageError listing the known names where `name` is not one of them.
FACTORGCN_API void check_model_name(const std::string& name);

/// True where a model is fitted at once instead of trained in epochs (train/classic_run.h).
FACTORGCN_API bool is_kernel_machine(const std::string& model);

/// True where a model is trained on a view of the data that is made from all of them (classic/registry.h).
FACTORGCN_API bool has_own_view(const std::string& model);

/// A run's data: what `data` opens. UsageError where they are not found, or are not those that config.trained_on tells
/// of and `data` does not accept others.
FACTORGCN_API std::shared_ptr<const Dataset> open_trained_data(const RunConfig& config, const OpenedData& data,
                                                               const MessageSink& messages = {});

/// The same as the run's model sees them: the model's own view where it has one.
FACTORGCN_API std::shared_ptr<const Dataset> open_run_data(const RunConfig& config, const OpenedData& data,
                                                           const MessageSink& messages = {});

/// The network for one graph in parts. Throws as the next.
FACTORGCN_API std::shared_ptr<GraphModel> build_network(const RunConfig& config, const PartsManifest& manifest);

/// The network for data of open_run_data(). Throws UsageError where it does not fit the task or a setting is wrong.
FACTORGCN_API std::shared_ptr<GraphModel> build_network(const RunConfig& config, const Dataset& data);

}  // namespace factorgcn
