// The data are made or read again as config.json says; the weights come from model.safetensors.
#include "factorgcn/train/loaded_run.h"

#include "factorgcn/base/error.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/nn/weight_budget.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/new_data.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {
namespace {

/// Configuration and weights of a network.
std::pair<RunConfig, ModelFile> read_network(const std::filesystem::path& folder) {
  RunConfig config = read_run_config(folder);
  require_usage(!is_fold_run(folder), folder.string(),
                " is a cross-validation: its folds are run directories of their own, e.g. ",
                (folder / "corrected" / "fold-01").string());
  const std::filesystem::path file = RunPaths(folder).model;
  require_usage(std::filesystem::exists(file), folder.string(),
                " has no model.safetensors yet; continue the run with --resume");
  require_usage(!is_kernel_machine(config.model), "model ", config.model,
                " is no network: it compares each graph with those it was trained on, and has neither factor graphs "
                "nor probabilities");
  return {std::move(config), load_model(file)};
}

/// As many weights as the file has, which are to go into the network.
WeightBudget budget_of(const NamedTensors& weights, const std::filesystem::path& folder) {
  std::int64_t values = 0;
  for (const auto& [name, tensor] : weights) {
    values += tensor.numel();
  }
  return {values, concat(RunPaths(folder).model.string(), ": it holds ", values,
                         " numbers, fewer than a model of the settings in config.json has")};
}

}  // namespace

LoadedRun load_run(const std::filesystem::path& folder, const OpenedData& data) {
  LoadedRun run;
  ModelFile saved;
  std::tie(run.config, saved) = read_network(folder);
  run.data = open_run_data(run.config, data);
  const WeightBudget budget = budget_of(saved.weights, folder);
  run.model = build_network(run.config, *run.data);
  load_weights(*run.model, saved.weights, RunPaths(folder).model.string());
  run.best_epoch = saved.best_epoch;
  return run;
}

RunOnData load_run_on(const std::filesystem::path& folder, const std::string& dataset, const OpenedData& data) {
  RunOnData result;
  LoadedRun& run = result.run;
  ModelFile saved;
  std::tie(run.config, saved) = read_network(folder);
  require_usage(!has_own_view(run.config.model), "model ", run.config.model,
                " cuts graphs into fields by what it saw in training; it cannot be applied to other data");
  const TrainedOn trained = run.config.trained_on.known()
                                ? run.config.trained_on
                                : describe_training(run.config, *open_trained_data(run.config, data));
  Dataset given = *data.open(dataset, data.describe(dataset, {}).settings);
  given.name = dataset;  // what its user calls it
  FittedData fitted = fit_to_model(std::move(given), trained);
  run.data = std::make_shared<const Dataset>(std::move(fitted.dataset));
  const WeightBudget budget = budget_of(saved.weights, folder);
  run.model = make_model(run.config.model, model_input(*run.data), run.config.model_settings, run.config.seed);
  load_weights(*run.model, saved.weights, RunPaths(folder).model.string());
  run.best_epoch = saved.best_epoch;
  result.notes = std::move(fitted.notes);
  result.unknown_classes = std::move(fitted.unknown_classes);
  return result;
}

}  // namespace factorgcn
