// From a folder of parts to a run's work. Metrics are those that follow from counts: no process sees all answers.
#include "train/parts/parts_run.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <filesystem>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/nn/models_in_parts.h"
#include "factorgcn/nn/network_shell.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/weights.h"
#include "train/parts/parts_work.h"

namespace factorgcn {
namespace {

void check_parts_config(const RunConfig& config) {
  require_usage(
      !is_kernel_machine(config.model) && !has_own_view(config.model), "model ", config.model,
      " cannot train on one graph in parts: it compares whole graphs; these can: ", names_of_models_in_parts());
  require_usage(config.protocol == "corrected", "'protocol' is '", config.protocol,
                "'; a graph in parts is no published data set: choose corrected");
  require_usage(config.shards == 1, "'shards' is ", config.shards,
                ", but one graph is cut into parts, not shards: leave --shards out");
  require_usage(config.device == "auto" || device_from_name(config.device).is_cpu(), "'device' is '", config.device,
                "'; a graph in parts is trained on CPUs: choose cpu");
}

/// Everything that lives as long as the run.
struct PartsRun {
  PartedGraph graph;
  std::shared_ptr<GraphModel> model;
  PartNetworks networks;
};

/// The sums over all nodes, part by part in order; of each column.
at::Tensor summed_over_parts(const std::vector<at::Tensor>& own, PartLinks& links) {
  const at::Tensor of_parts = links.gather(own);
  at::Tensor sum = of_parts[0].clone();
  for (std::int64_t part = 1; part < of_parts.size(0); ++part) {
    sum.add_(of_parts[part]);
  }
  return sum;
}

void learn_columns(PartsRun& run) {
  auto* const shell = dynamic_cast<NetworkShell*>(run.model.get());
  if (shell == nullptr || !shell->scales_columns()) {
    return;
  }
  std::vector<at::Tensor> sums, squares;
  for (std::size_t own = 0; own < run.graph.own_parts(); ++own) {
    sums.push_back(column_sums(run.graph.part(own).features));
  }
  const at::Tensor mean =
      summed_over_parts(sums, run.graph.links()).div_(static_cast<double>(run.graph.manifest().nodes));
  for (std::size_t own = 0; own < run.graph.own_parts(); ++own) {
    squares.push_back(column_squares(run.graph.part(own).features, mean));
  }
  shell->set_columns(column_scale(mean, summed_over_parts(squares, run.graph.links()), run.graph.manifest().nodes,
                                  run.graph.manifest().sparse_features));
}

void put_scores(const PartsScore& score, Part role, RunMetrics& metrics) {
  const std::vector<ScoredMetric> scores = score_confusion(score.confusion);
  const std::string part = part_name(role);
  metrics.samples[part] = score.confusion.rows();
  if (role == Part::kValidation) {
    metrics.validation["loss"] = score.loss;
    for (const auto& [metric, value] : scores) {
      metrics.validation[metric->name] = *value.value;
    }
  }
}

RunMetrics measure_parts(PartsRun& run, const RunConfig& config) {
  RunMetrics metrics;
  metrics.dataset = run.graph.manifest().name;
  metrics.model = config.model;
  metrics.preset = config.preset;
  metrics.protocol = config.protocol;
  metrics.seed = config.seed;
  metrics.parameters = count_parameters(*run.model);
  metrics.metric = metric_name(Task::kNodeClass);
  for (const auto& network : run.networks) {
    share_weights(*run.model, *network);  // where nobody has trained them
  }
  const PartsManifest& manifest = run.graph.manifest();
  const bool tested = manifest.total(&PartEntry::test) > 0;
  for (const Part role : {Part::kValidation, Part::kTest}) {
    if (role == Part::kTest && !tested) {
      continue;
    }
    const PartsScore score = score_parts(run.graph, run.networks, role);
    put_scores(score, role, metrics);
    if (role == Part::kTest || !tested) {
      put_test_scores(score_confusion(score.confusion), metrics);
      metrics.splits[metrics.metric] = part_name(role);
    }
  }
  return metrics;
}

/// Before anything is exchanged whose shape follows from the parts.
void check_same_parts(Group* group, const std::string& folder, const std::string& content) {
  if (group == nullptr) {
    return;
  }
  const std::vector<std::string> all = all_gather_texts(*group, content);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    require_usage(all[rank] == all[0], "ranks 0 and ", rank, " are not about to do the same: their graphs in parts ",
                  "have the contents ", all[0], " and ", all[rank], " (", folder, " on rank ", group->rank(),
                  "); start all processes with the same command and parts");
  }
}

TrainedOn describe_parts(const RunConfig& config, const PartsManifest& manifest) {
  TrainedOn trained;
  trained.name = manifest.name;
  trained.content = manifest.content();
  place_training_data(config, trained);
  trained.task = manifest.task;
  trained.node_types = manifest.node_types;
  trained.features = manifest.feature_columns;
  trained.outputs = manifest.outputs;
  trained.feature_names = manifest.feature_names;
  trained.output_names = manifest.output_names;
  return trained;
}

}  // namespace

RunWork work_of_parts_run(const RunConfig& config, Group* group) {
  check_parts_config(config);
  PartsManifest manifest = read_manifest(config.dataset);
  const TrainedOn trained = describe_parts(config, manifest);
  require_usage(config.trained_on.content.empty() || config.trained_on.content == trained.content, config.dataset,
                ": these are not the parts that the run was trained on; bring back the former ones");
  check_same_parts(group, config.dataset, trained.content);
  std::shared_ptr<GraphModel> model = build_network(config, manifest);
  const std::string misfit = misfit_in_parts(*model);
  require_usage(misfit.empty(), "model ", config.model, " ", misfit);
  const auto run = std::make_shared<PartsRun>(PartsRun{PartedGraph(config.dataset, manifest, group), model, {}});
  for (std::size_t own = 0; own < run->graph.own_parts(); ++own) {
    run->networks.push_back(build_network(config, manifest));
  }
  RunWork work;
  work.model = model;
  work.data = {manifest.name,
               manifest.task,
               manifest.total(&PartEntry::train),
               manifest.total(&PartEntry::validation),
               manifest.total(&PartEntry::test),
               /*split_of_nodes=*/true};
  work.content = trained.content;
  work.trained_on = trained;
  work.learn_input = [run] { learn_columns(*run); };
  work.fresh_weights = [run, config, manifest](std::uint64_t seed) {
    RunConfig other = config;
    other.seed = seed;
    const auto drawn = build_network(other, manifest);
    for (const auto& item : run->model->named_buffers()) {
      if (item.key().starts_with("input_")) {  // learnt from the data
        drawn->named_buffers()[item.key()].copy_(item.value());
      }
    }
    return copy_weights(*drawn);
  };
  work.train_work = [run](const TrainOptions& options) {
    return work_on_parts(*run->model, run->graph, run->networks, options);
  };
  work.measure = [run](const RunConfig& now) { return measure_parts(*run, now); };
  work.measured_together = true;
  return work;
}

}  // namespace factorgcn
