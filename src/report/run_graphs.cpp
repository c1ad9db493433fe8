#include "report/run_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "factorgcn/base/text.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "report/page_outcome.h"
#include "report/prediction_parts.h"
#include "report/relation_table.h"

namespace factorgcn {
namespace {

/// The graphs whose factors are shown, and what they are.
struct ShownGraphs {
  std::vector<std::int64_t> graphs;
  std::string which;  ///< "test graphs"
};

ShownGraphs graphs_to_show(const Dataset& dataset, const RunMetrics& metrics) {
  const bool on_training = metric_split(metrics, "ged_e") == "train";
  for (const Part part : {on_training ? Part::kTrain : Part::kTest, Part::kTest, Part::kValidation, Part::kTrain}) {
    const DataPart found = data_part(dataset, part);
    if (!found.empty()) {
      return {found.graphs, fmt::format("{}{} graphs", part_name(part), part == Part::kTrain ? "ing" : "")};
    }
  }
  ShownGraphs all{std::vector<std::int64_t>(static_cast<std::size_t>(dataset.graphs.num_graphs())), "graphs"};
  std::iota(all.graphs.begin(), all.graphs.end(), 0);
  return all;
}

/// What the pictures are and how to read them; counts are of edges, each pair of nodes once.
std::string graphs_caption(const PageFactorGraphs& part, const Dataset& dataset, const ShownGraphs& shown) {
  std::string text;
  if (dataset.graphs.num_graphs() > 1) {
    const std::string total = format_count(static_cast<std::int64_t>(shown.graphs.size()));
    const std::string some = format_count(static_cast<std::int64_t>(part.samples.size()));
    text = some == total ? fmt::format("All {} {}. ", total, shown.which)
                         : fmt::format("{} of {} {}, evenly spread. ", some, total, shown.which);
  }
  const bool with_truth = std::any_of(part.samples.begin(), part.samples.end(),
                                      [](const PageSample& sample) { return !sample.truth.empty(); });
  text += with_truth ? "The true part that a factor stands for is drawn above it, with the edges in which the two "
                       "differ. GED_E counts both directions of such an edge, as the paper does: it is twice their "
                       "number."
                     : "Nothing is known of the true relations here: the factors are the model\u2019s own reading of "
                       "the graph.";
  const bool loops = dataset.added_self_loops > 0;
  text += loops ? " The self loops that were added for training are not shown." : "";
  return text;
}

PageFactorGraphs graphs_of(const LoadedRun& run, const ShownGraphs& shown, std::int64_t samples, std::int64_t bytes,
                           RelationTable& relations) {
  const int layer = std::clamp(run.config.metric_layer, 1, run.model->num_factor_layers());
  PageFactorGraphs part =
      page_factor_graphs(*run.model, *run.data, spread_over(shown.graphs, samples), layer, run.config.batch_size);
  part.caption = graphs_caption(part, *run.data, shown);
  relations.add(part);
  fit_to_page(part, bytes);
  return part;
}

/// One of the tables below the graphs.
void add_table(const RelationTable& relations, Page& page) {
  if (std::optional<PageTable> table = relations.table()) {
    page.tables.push_back(std::move(*table));
  }
}

std::string tested_name(const Dataset& dataset) { return is_node_task(dataset.task) ? "test nodes" : "test graphs"; }

}  // namespace

void add_model_parts(const std::filesystem::path& run, const RunConfig& config, const RunMetrics& metrics,
                     std::int64_t samples, const OpenedData& data, const std::shared_ptr<const LoadedRun>& trained,
                     Page& page) {
  if (is_kernel_machine(config.model) || !std::filesystem::exists(RunPaths(run).model)) {
    return;
  }
  const LoadedRun loaded = trained != nullptr ? *trained : load_run(run, data);
  const Dataset& dataset = *loaded.data;
  const DataPart tested = data_part(dataset, Part::kTest);
  if (!tested.empty()) {
    add_prediction_parts(test_rows(*loaded.model, dataset, tested, config.batch_size), dataset.task,
                         names_of_outputs(dataset), tested_name(dataset), page);
  }
  if (samples > 0 && loaded.model->num_factor_layers() > 0) {
    RelationTable relations;
    PageFactorGraphs part = graphs_of(loaded, graphs_to_show(dataset, metrics), samples, kGraphBytes, relations);
    if (!part.samples.empty()) {
      page.factor_graphs.push_back(std::move(part));
    }
    add_table(relations, page);
  }
}

void add_fold_parts(const std::filesystem::path& run, const RunConfig& config, const FoldMetrics& metrics,
                    std::int64_t samples, const OpenedData& data, Page& page) {
  const auto own = std::find_if(metrics.protocols.begin(), metrics.protocols.end(),
                                [&](const FoldSummary& summary) { return summary.protocol == config.protocol; });
  if (is_kernel_machine(config.model) || own == metrics.protocols.end()) {
    return;  // a kernel machine has neither factor graphs nor probabilities
  }
  const auto folds = static_cast<std::int64_t>(own->accuracy.size());
  std::vector<TestedRows> rows;
  std::vector<std::string> names;
  RelationTable relations;
  for (std::int64_t fold = 1; fold <= folds; ++fold) {
    const std::filesystem::path folder = run / own->protocol / fmt::format("fold-{:02}", fold);
    if (!std::filesystem::exists(RunPaths(folder).model)) {
      continue;
    }
    const LoadedRun loaded = load_run(folder, data);
    const DataPart tested = data_part(*loaded.data, Part::kTest);
    if (tested.empty()) {
      continue;
    }
    names = names_of_outputs(*loaded.data);
    rows.push_back(test_rows(*loaded.model, *loaded.data, tested, config.batch_size));
    if (samples == 0 || loaded.model->num_factor_layers() == 0) {
      continue;
    }
    PageFactorGraphs part = graphs_of(loaded, {tested.graphs, fmt::format("test graphs of fold {}", fold)},
                                      std::max<std::int64_t>(1, samples / folds), kGraphBytes / folds, relations);
    part.id = fmt::format("factor-graphs-{}", fold);
    part.variant = fmt::format("fold {}", fold);
    part.caption += fmt::format(" Fold {} has a model of its own: its factors are not those of other folds.", fold);
    page.factor_graphs.push_back(std::move(part));
  }
  add_table(relations, page);
  add_prediction_parts(join_rows(rows), Task::kGraphClass, names,
                       fmt::format("test graphs of all {} folds ({} protocol)", folds, own->protocol), page);
}

}  // namespace factorgcn
