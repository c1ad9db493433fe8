// The data are made or read again as config.json says; the weights come from model.safetensors.
#include "factorgcn/train/loaded_run.h"

#include "factorgcn/base/error.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/data_source.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {

LoadedRun load_run(const std::filesystem::path& folder) {
  LoadedRun run;
  run.config = read_run_config(folder);
  const std::filesystem::path file = RunPaths(folder).model;
  require_usage(std::filesystem::exists(file), folder.string(),
                " has no model.safetensors yet; continue the run with --resume");
  const ModelFile saved = load_model(file);
  run.dataset = open_dataset(run.config.dataset, run.config.data);
  run.model = make_model(run.config.model, model_input(run.dataset), run.config.model_settings, run.config.seed);
  load_weights(*run.model, saved.weights, file.string());
  run.best_epoch = saved.best_epoch;
  return run;
}

}  // namespace factorgcn
