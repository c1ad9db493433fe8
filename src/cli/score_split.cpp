// Rebuilds a run's data and model and scores the part asked for.
#include "cli/score_split.h"

#include "factorgcn/base/error.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/weights.h"

namespace factorgcn::cli {

std::map<std::string, double> score_split(const std::filesystem::path& run, const std::string& split) {
  const RunConfig config = read_run_config(run);
  if (is_kernel_machine(config.model)) {
    return score_kernel_machine(run, split);
  }
  const std::filesystem::path file = RunPaths(run).model;
  require_usage(std::filesystem::exists(file), run.string(),
                " has no model yet: its training was stopped before the first epoch was over");
  const ModelFile saved = load_model(file);
  const Dataset dataset = open_run_data(config);
  const auto model = build_network(config, dataset);
  load_weights(*model, saved.weights, file.string());

  const DataPart part = data_part(dataset, split == "train"        ? Part::kTrain
                                           : split == "validation" ? Part::kValidation
                                                                   : Part::kTest);
  require(!part.empty(), "the data set has no ", split, " graphs: choose another --split");
  const TaskScore task = score_task(*model, dataset, part, config.batch_size);
  std::map<std::string, double> scores{{"loss", task.loss}, {metric_name(dataset.task), task.metric}};
  if (const auto factors = score_factors(*model, dataset, part.graphs, config.metric_layer, config.batch_size)) {
    scores["ged_e"] = factors->ged_e;
    scores["ged_e_std"] = factors->ged_e_std;
    scores["c_score"] = factors->c_score;
  }
  return scores;
}

}  // namespace factorgcn::cli
