// Rebuilds a run's data and model and scores the part asked for.
#include "cli/score_split.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {

RunMetrics score_split(const std::filesystem::path& run, const std::string& split, const std::string& device,
                       const OpenedData& data, Group* group) {
  if (is_kernel_machine(read_run_config(run).model)) {
    return score_kernel_machine(run, split, data);
  }
  const LoadedRun loaded = load_run(run, data);
  const DataPart part = data_part(*loaded.data, part_from_name("--split", split));
  require(!part.empty(), "the data set has no ", split, " graphs: choose another --split");
  return score_part_of(loaded, part, split, device, group);
}

RunMetrics score_part_of(const LoadedRun& run, const DataPart& part, const std::string& name, const std::string& device,
                         Group* group) {
  const RunConfig& config = run.config;
  const Dataset& dataset = *run.data;
  run.model->to(device_from_name(device));
  const PartScores task = score_part(*run.model, dataset, part, config.batch_size, group);
  RunMetrics scores;
  scores.metric = metric_name(dataset.task);
  scores.test = {{"loss", task.task.loss}, {scores.metric, task.task.metric}};
  scores.splits = {{scores.metric, name}};
  scores.samples = {{name, task.samples}};
  put_test_scores(task.metrics, scores);
  if (const auto factors =
          score_factors(*run.model, dataset, part.graphs, config.metric_layer, config.batch_size, group)) {
    put_factor_scores(*factors, scores);
    scores.splits["ged_e"] = name;
  }
  return scores;
}

DataPart labelled_part(const Dataset& dataset) {
  const at::Tensor known = known_targets(dataset);
  const bool* marks = known.data_ptr<bool>();
  const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  DataPart part;
  for (std::int64_t graph = 0; graph < dataset.graphs.num_graphs(); ++graph) {
    const bool* first = is_node_task(dataset.task) ? marks + offsets[graph] : marks + graph;
    const bool* last = is_node_task(dataset.task) ? marks + offsets[graph + 1] : first + 1;
    if (std::find(first, last, true) != last) {
      part.graphs.push_back(graph);
    }
  }
  if (is_node_task(dataset.task)) {
    part.counted = known;
  }
  return part;
}

Part part_from_name(const std::string& option, const std::string& name) {
  require_usage(name == "train" || name == "validation" || name == "test", option, " '", name,
                "': choose train, validation or test");
  return name == "train" ? Part::kTrain : name == "validation" ? Part::kValidation : Part::kTest;
}

}  // namespace factorgcn::cli
