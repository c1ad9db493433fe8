// A run directory as a page.
#include "factorgcn/report/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"
#include "factorgcn/version.h"
#include "report/run_graphs.h"

namespace factorgcn {
namespace {

/// Decimals as the paper prints them, where it does.
PageColumn metric_column(const Metric& metric, const PaperValue* paper) {
  return {metric.name, metric.label_with_unit(),
          metric.better == Better::kLower ? PageBetter::kLower : PageBetter::kHigher,
          paper != nullptr ? paper->decimals : metric.decimals, ""};
}

/// What a run shows is in the table; a file that says otherwise was not written by this program.
const Metric& known_metric(const std::string& name) {
  const Metric* const metric = find_metric(name);
  require(metric != nullptr, "page: there is no metric '", name, "'");
  return *metric;
}

void add_paper(const PaperValue* paper, PageCell& cell) {
  if (paper != nullptr) {
    cell.paper = paper->mean;
    cell.paper_deviation = paper->deviation;
  }
}

PageTable score_table(const RunMetrics& metrics) {
  PageTable table;
  table.id = "scores";
  table.title = "Scores";
  table.protocol = metrics.protocol;
  PageRow row{metrics.model, {}, true};
  for (const std::string& metric : shown_metrics(metrics)) {
    const PaperValue* paper = paper_value_beside(metrics, metric);
    const Metric& entry = known_metric(metric);
    table.columns.push_back(metric_column(entry, paper));
    PageCell cell;
    cell.value = entry.shown(metrics.test.at(metric));
    if (const auto spread = metrics.test.find(metric + "_std"); spread != metrics.test.end()) {
      cell.deviation = entry.shown(spread->second);
    }
    add_paper(paper, cell);
    const std::string split = metric_split(metrics, metric);
    cell.note = split == "test" ? "" : "computed on the " + split + " split";
    row.cells[metric] = cell;
  }
  table.rows.push_back(std::move(row));
  return table;
}

/// How far the task's metric can be trusted, and every other metric for the task; one row each.
void add_details(const RunMetrics& metrics, Page& page) {
  std::vector<std::string> names = detailed_metrics(metrics);
  for (const std::string& name : shown_metrics(metrics)) {  // scores of factors beside chance
    if (known_metric(name).is_of_factors() && metrics.chance.contains(name)) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    return;
  }
  PageTable table;
  table.id = "intervals";
  table.detail = true;
  table.title = "Intervals and further metrics";
  table.caption = samples_text(metrics);
  table.columns = {{"value", score_title(metrics), PageBetter::kNone, 4, ""},
                   {"interval", "95 % interval", PageBetter::kNone, 4, ""},
                   {"chance", "chance", PageBetter::kNone, 4, ""},
                   {"better", "better", PageBetter::kNone, 4, ""}};
  for (const std::string& name : names) {
    const Metric& metric = known_metric(name);
    PageRow row{metric.label_with_unit(), {}, name == task_metric(metrics)};
    row.cells["value"].text = metric_text(name, metrics.test.at(name));
    row.cells["interval"].text = interval_text(metrics, name);
    row.cells["chance"].text = chance_text(metrics, name);
    row.cells["better"].text = metric.better == Better::kLower ? "lower" : "higher";
    table.rows.push_back(std::move(row));
    if (name != task_metric(metrics) && !metric.is_of_factors()) {  // the notes explain those
      table.caption += fmt::format(" {}: {}.", metric.label, metric.measures);
    }
  }
  page.tables.push_back(std::move(table));
}

void add_history(const std::filesystem::path& folder, const std::string& label, PageCurves& curves) {
  const std::filesystem::path file = RunPaths(folder).history;
  if (std::filesystem::exists(file)) {
    const std::vector<EpochRecord> history = read_history(file.string());
    if (!history.empty()) {
      curves.runs.push_back(page_curve_run(history, label));
    }
  }
}

std::vector<PageFact> run_facts(const RunMetrics& metrics, const RunConfig& config) {
  std::vector<PageFact> facts{{"data set", metrics.dataset}, {"model", metrics.model}};
  if (metrics.parameters > 0) {
    facts.push_back({"parameters", format_count(metrics.parameters)});
  }
  facts.push_back({"preset", metrics.preset});
  facts.push_back({"protocol", metrics.protocol});
  facts.push_back({"seed", std::to_string(metrics.seed)});
  facts.push_back({"epochs", std::to_string(metrics.epochs_run)});
  if (metrics.best_epoch > 0) {
    facts.push_back({"best epoch", std::to_string(metrics.best_epoch)});
  }
  facts.push_back({"batch size", format_count(config.batch_size)});
  facts.push_back({"learning rate", fmt::format("{}", config.learning_rate)});
  facts.push_back({"lambda", fmt::format("{}", config.lambda)});
  facts.push_back({"time", format_duration(metrics.seconds)});
  facts.push_back({"device", metrics.device});
  if (metrics.status != RunStatus::kFinished) {
    facts.push_back({"status", status_name(metrics.status)});
  }
  return facts;
}

Page page_head(const RunMetrics& metrics, const RunConfig& config, const std::string& title) {
  Page page;
  page.title = title;
  page.program = "factorgcn " FACTORGCN_VERSION;
  page.created = page_time_now();
  page.facts = run_facts(metrics, config);
  return page;
}

void add_departures(const RunConfig& config, const OpenedData& data, Page& page) {
  std::string text = departures_text(departures_from_preset(config, data), std::numeric_limits<int>::max());
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  if (!text.empty()) {
    page.notes.push_back(text);
  }
}

Page fold_page(const std::filesystem::path& run, const RunConfig& config, std::int64_t samples,
               const OpenedData& data) {
  const FoldMetrics metrics = read_fold_metrics(run);
  const RunMetrics& shared = metrics.shared;
  Page page = page_head(shared, config, fmt::format("{} on {}, cross-validation", shared.model, shared.dataset));
  page.subtitle = fmt::format("Seed {}, {} epochs a fold", shared.seed, shared.epochs_run);
  page.notes = {
      "Published: each fold trains on all the others; the test curves are averaged and their best epoch counts, so the "
      "test graphs choose the epoch. Corrected: an inner validation split chooses each fold\u2019s epoch. The number "
      "after \u00b1 is the spread over the folds."};
  add_departures(config, data, page);
  PageTable table;
  table.id = "scores";
  const Metric& metric = known_metric(metric_name(Task::kGraphClass));
  table.title = fmt::format("{} over the folds", metric.label);
  table.title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(table.title.front())));
  const auto pooled = shared.samples.find("test");
  if (pooled != shared.samples.end() && shared.intervals.contains(metric.name)) {
    table.caption = fmt::format("All {} test graphs together, {} protocol: 95 % interval {}, chance {}. {}",
                                format_count(pooled->second), shared.protocol, interval_text(shared, metric.name),
                                chance_text(shared, metric.name), small_part_text(pooled->second, "test"));
  }
  table.columns = {{metric.name, metric.label_with_unit(), PageBetter::kHigher, 1, ""},
                   {"lowest", "lowest fold", PageBetter::kNone, 1, ""},
                   {"highest", "highest fold", PageBetter::kNone, 1, ""}};
  for (const FoldSummary& summary : metrics.protocols) {
    PageRow row{summary.protocol + " protocol", {}, summary.protocol == config.protocol};
    PageCell cell;
    cell.value = metric.shown(summary.mean);
    cell.deviation = metric.shown(summary.deviation);
    cell.count = static_cast<std::int64_t>(summary.accuracy.size());
    // The paper's numbers follow the published protocol; beside another one they would compare unlike things.
    if (summary.protocol == "published") {
      add_paper(find_paper_value(shared.dataset, 0, shared.model, metric.name), cell);
    }
    row.cells[metric.name] = cell;
    if (!summary.accuracy.empty()) {
      const auto [least, most] = std::minmax_element(summary.accuracy.begin(), summary.accuracy.end());
      row.cells["lowest"].value = metric.shown(*least);
      row.cells["highest"].value = metric.shown(*most);
    }
    table.rows.push_back(std::move(row));

    PageCurves curves;
    curves.id = "curves-" + summary.protocol;
    curves.title = fmt::format("Training curves, {} protocol", summary.protocol);
    for (std::size_t fold = 1; fold <= summary.accuracy.size(); ++fold) {
      add_history(run / summary.protocol / fmt::format("fold-{:02}", fold), fmt::format("fold {}", fold), curves);
    }
    if (!curves.runs.empty()) {
      page.curves.push_back(std::move(curves));
    }
  }
  page.tables.push_back(std::move(table));
  add_fold_parts(run, config, metrics, samples, data, page);
  return page;
}

}  // namespace

PageCurveRun page_curve_run(const std::vector<EpochRecord>& history, const std::string& label) {
  require(!history.empty(), "page: the run '", label, "' has no epoch to draw");
  PageCurveRun run;
  run.label = label;
  const std::string monitored = history.front().monitored;
  const std::string name = history.front().metric_name;
  const Metric* const metric = find_metric(name);
  const auto add = [&](const std::string& title, const std::string& panel, auto value) {
    PageSeries series{title, panel, {}};
    for (const EpochRecord& record : history) {
      series.values.push_back(value(record));
    }
    const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
    if (*least != *most || history.size() == 1) {
      run.series.push_back(std::move(series));
    }
  };
  add("training, total", "loss", [](const EpochRecord& record) { return record.loss; });
  add("training, task alone", "loss", [](const EpochRecord& record) { return record.task_loss; });
  add(monitored + ", task", "loss", [](const EpochRecord& record) { return record.validation_loss; });
  add(monitored, metric == nullptr ? name : metric->label_with_unit(), [&](const EpochRecord& record) {
    return metric == nullptr ? record.validation_metric : metric->shown(record.validation_metric);
  });
  add("discriminator", "discriminator\u2019s loss", [](const EpochRecord& record) { return record.regulariser; });
  add("learning rate", "learning rate", [](const EpochRecord& record) { return record.learning_rate; });
  for (const EpochRecord& record : history) {
    if (record.best) {
      run.best = record.epoch;
    }
  }
  return run;
}

std::vector<std::int64_t> spread_over(const std::vector<std::int64_t>& graphs, std::int64_t count) {
  const auto total = static_cast<std::int64_t>(graphs.size());
  const std::int64_t taken = std::min(count, total);
  std::vector<std::int64_t> chosen;
  for (std::int64_t index = 0; index < taken; ++index) {
    chosen.push_back(graphs[index * total / taken]);
  }
  return chosen;
}

Page run_page(const std::filesystem::path& run, const RunPageOptions& options, const OpenedData& data,
              const std::shared_ptr<const LoadedRun>& trained) {
  if (is_seed_folder(run)) {
    return seed_page(run, data);
  }
  const RunConfig config = read_run_config(run);
  const RunPaths paths(run);
  require_usage(std::filesystem::exists(paths.metrics), run.string(),
                " has no scores yet; continue the run with --resume");
  if (is_fold_run(run)) {
    return fold_page(run, config, options.samples, data);
  }
  const RunMetrics metrics = read_metrics(paths.metrics.string());
  Page page = page_head(metrics, config, fmt::format("{} on {}", metrics.model, metrics.dataset));
  if (metrics.factors) {
    page.title += fmt::format(", {} kinds of factor graphs", *metrics.factors);
  }
  page.subtitle = fmt::format("Seed {}, {} epochs in {}, best at epoch {}", metrics.seed, metrics.epochs_run,
                              format_duration(metrics.seconds), metrics.best_epoch);
  page.notes = run_warnings(metrics);
  page.notes.push_back(run_protocol_text(metrics));
  page.notes.push_back(run_explanation(metrics));
  if (const std::string unknown = unknown_text(metrics); !unknown.empty()) {
    page.notes.push_back(unknown);
  }
  add_departures(config, data, page);
  page.tables.push_back(score_table(metrics));
  add_details(metrics, page);
  add_model_parts(run, config, metrics, options.samples, data, trained, page);
  PageCurves curves;
  curves.id = "curves";
  curves.title = "Training curves";
  add_history(run, fmt::format("seed {}", metrics.seed), curves);
  if (!curves.runs.empty()) {
    page.curves.push_back(std::move(curves));
  }
  return page;
}

}  // namespace factorgcn
