// The data are made or read again as config.json says; the weights come from model.safetensors.
#include "factorgcn/train/loaded_run.h"

#include "factorgcn/base/error.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {

LoadedRun load_run(const std::filesystem::path& folder, const OpenedData& data) {
  LoadedRun run;
  run.config = read_run_config(folder);
  const std::filesystem::path file = RunPaths(folder).model;
  require_usage(std::filesystem::exists(file), folder.string(),
                " has no model.safetensors yet; continue the run with --resume");
  const ModelFile saved = load_model(file);
  run.data = open_run_data(run.config, data);
  run.model = build_network(run.config, *run.data);
  load_weights(*run.model, saved.weights, file.string());
  run.best_epoch = saved.best_epoch;
  return run;
}

}  // namespace factorgcn
