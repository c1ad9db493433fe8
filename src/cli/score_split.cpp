// Rebuilds a run's data and model and scores the part asked for.
#include "cli/score_split.h"

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {

RunMetrics score_split(const std::filesystem::path& run, const std::string& split, const std::string& device) {
  if (is_kernel_machine(read_run_config(run).model)) {
    return score_kernel_machine(run, split);
  }
  const LoadedRun loaded = load_run(run);
  const RunConfig& config = loaded.config;
  const Dataset& dataset = *loaded.data;
  loaded.model->to(device_from_name(device));
  const DataPart part = data_part(dataset, split == "train"        ? Part::kTrain
                                           : split == "validation" ? Part::kValidation
                                                                   : Part::kTest);
  require(!part.empty(), "the data set has no ", split, " graphs: choose another --split");
  const PartScores task = score_part(*loaded.model, dataset, part, config.batch_size);
  RunMetrics scores;
  scores.metric = metric_name(dataset.task);
  scores.test = {{"loss", task.task.loss}, {scores.metric, task.task.metric}};
  scores.splits = {{scores.metric, split}};
  scores.samples = {{split, task.samples}};
  put_test_scores(task.metrics, scores);
  if (const auto factors = score_factors(*loaded.model, dataset, part.graphs, config.metric_layer, config.batch_size)) {
    scores.test["ged_e"] = factors->ged_e;
    scores.test["ged_e_std"] = factors->ged_e_std;
    scores.test["c_score"] = factors->c_score;
  }
  return scores;
}

}  // namespace factorgcn::cli
