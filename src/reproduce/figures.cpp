// Loads models and looks inside.
#include "reproduce/figures.h"

#include <fmt/format.h>

#include <span>

#include "factorgcn/eval/correlation.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

/// The folder of a group's first run, where that is over.
std::optional<fs::path> first_finished(const Plan& plan, const std::string& group, const fs::path& out) {
  const fs::path folder = run_folder(out, plan.group(group).runs.front());
  return fs::exists(RunPaths(folder).metrics) ? std::optional(folder) : std::nullopt;
}

PageHeatmapPanel correlation_panel(const std::string& label, const fs::path& folder) {
  LoadedRun run = load_run(folder);
  const EvaluationMode mode(*run.model);
  std::optional<FeatureCorrelation> correlation;
  PageHeatmapPanel panel;
  panel.label = label;
  const DataPart part = data_part(*run.data, Part::kTest);
  for (const auto ids : cut_batches(part.graphs, run.config.batch_size)) {
    const GraphBatch batch = select_graphs(run.data->graphs, ids);
    const at::Tensor features = run.model->hidden_features(batch).to(at::kFloat).contiguous();
    if (!correlation) {
      panel.size = features.size(1);
      correlation.emplace(panel.size);
    }
    correlation->add({features.data_ptr<float>(), static_cast<std::size_t>(features.numel())});
  }
  if (correlation) {
    panel.values = correlation->absolute();
  }
  // Factors of the first layer own equal blocks of its columns.
  if (run.model->num_factor_layers() > 0 && !part.graphs.empty()) {
    const GraphBatch one = select_graphs(run.data->graphs, std::span(part.graphs).first(1));
    const std::int64_t factors = run.model->factor_coefficients(one, 0).size(1);
    if (factors > 1 && panel.size % factors == 0) {
      panel.blocks.assign(static_cast<std::size_t>(factors), panel.size / factors);
    }
  }
  const RunMetrics metrics = read_metrics(RunPaths(folder).metrics.string());
  const auto score = metrics.test.find(metric_name(run.data->task));
  if (score != metrics.test.end()) {
    const Metric& metric = *find_metric(score->first);
    panel.score_name = metric.label_with_unit();
    panel.score = metric.shown(score->second);
  }
  return panel;
}

}  // namespace

PageHeatmaps correlation_figure(const Plan& plan, const PlannedCorrelation& figure, const fs::path& out) {
  PageHeatmaps maps;
  maps.id = figure.id;
  maps.title = figure.title;
  std::string means;
  for (const PlannedCorrelation::Panel& panel : figure.panels) {
    const auto folder = first_finished(plan, panel.group, out);
    if (!folder) {
      continue;
    }
    maps.panels.push_back(correlation_panel(panel.label, *folder));
    const PageHeatmapPanel& made = maps.panels.back();
    const std::vector<std::int64_t> blocks = made.blocks.empty() ? std::vector{made.size} : made.blocks;
    const BlockCorrelation mean = block_correlation(made.values, blocks);
    means += fmt::format(" {}: {:.2f}", made.label, mean.all);
    means +=
        made.blocks.empty() ? "." : fmt::format(" ({:.2f} inside blocks, {:.2f} across).", mean.inside, mean.across);
  }
  maps.caption =
      "Features of all nodes of the test split after the first hidden layer; lines separate the blocks of "
      "factors or heads. Mean off the diagonal:" +
      means;
  return maps;
}

std::optional<PageFactorGraphs> factor_graphs_figure(const Plan& plan, const PlannedFactors& figure,
                                                     const fs::path& out) {
  const auto folder = first_finished(plan, figure.group, out);
  if (!folder) {
    return {};
  }
  const LoadedRun run = load_run(*folder);
  const DataPart part = data_part(*run.data, Part::kTest);
  PageFactorGraphs graphs = page_factor_graphs(*run.model, *run.data, spread_over(part.graphs, figure.samples),
                                               run.config.metric_layer, run.config.batch_size);
  graphs.id = figure.id;
  graphs.title = figure.title;
  return graphs;
}

}  // namespace factorgcn
