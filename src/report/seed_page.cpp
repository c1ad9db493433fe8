// Several seeds as a page.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

PageTable table_of_means(const SeedMetrics& all, const RunMetrics& example) {
  PageTable table;
  table.id = "scores";
  table.title = "Scores over the seeds";
  table.protocol = example.protocol;
  table.caption = "Mean and deviation of the runs.";
  PageRow means{"mean", {}, true}, intervals{"95 % interval of the mean", {}, false}, chances{"chance", {}, false};
  const auto spreads = all.spreads(&RunMetrics::test);
  for (const std::string& name : all_metrics(example)) {
    const auto found = spreads.find(name);
    const Metric* const metric = find_metric(name);
    if (found == spreads.end() || found->second.runs == 0 || metric == nullptr) {
      continue;
    }
    const PaperValue* const paper = paper_value_beside(example, name);
    table.columns.push_back({name, metric->label_with_unit(),
                             metric->better == Better::kLower ? PageBetter::kLower : PageBetter::kHigher,
                             paper != nullptr ? paper->decimals : metric->decimals, ""});
    PageCell& cell = means.cells[name];
    cell.value = metric->shown(found->second.mean);
    if (found->second.deviation) {
      cell.deviation = metric->shown(*found->second.deviation);
    }
    cell.count = found->second.runs;
    if (paper != nullptr) {
      cell.paper = paper->mean;
      cell.paper_deviation = paper->deviation;
    }
    intervals.cells[name].text = mean_interval_text(name, found->second);
    const auto chance = all.chance(name);
    chances.cells[name].text = chance ? metric_text(name, *chance) : "not known";
  }
  table.rows = {std::move(means), std::move(intervals), std::move(chances)};
  return table;
}

PageTable table_of_runs(const SeedMetrics& all, const RunMetrics& example) {
  PageTable table;
  table.id = "runs";
  table.title = "The runs";
  const std::string metric = task_metric(example);
  const Metric* const entry = find_metric(metric);
  const auto column = [&](const std::string& key, const std::string& label) {
    table.columns.push_back({key, label, PageBetter::kNone, entry == nullptr ? 4 : entry->decimals, ""});
  };
  const std::string part = metric_split(example, metric);
  column("status", "status");
  const std::string title = metric_title(metric);
  if (part != "validation" && example.validation.contains(metric)) {
    column("validation", "validation: " + title);
  }
  column("test", part + ": " + title);
  column("epoch", "best epoch");
  column("time", "time");
  const auto score = [&](const std::map<std::string, double>& scores, PageCell& cell) {
    if (const auto found = scores.find(metric); found != scores.end()) {
      cell.text = metric_text(metric, found->second);
    }
  };
  for (const SeedRun& run : all.runs) {
    PageRow row{fmt::format("seed {}", run.seed), {}, false};
    row.cells["status"].text = run.metrics ? status_name(run.metrics->status) : "missing";
    if (run.counts()) {
      score(run.metrics->validation, row.cells["validation"]);
      score(run.metrics->test, row.cells["test"]);
    }
    if (run.metrics) {
      if (run.metrics->best_epoch > 0) {
        row.cells["epoch"].text = fmt::format("{}", run.metrics->best_epoch);
      }
      row.cells["time"].text = format_duration(run.metrics->seconds);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Page seed_page(const std::filesystem::path& folder, const OpenedData& data) {
  const SeedMetrics all = gather_seed_runs(folder);
  const RunMetrics* const example = all.example();
  require_usage(example != nullptr, folder.string(), ": none of its runs is over; continue with --resume");
  Page page;
  page.title = fmt::format("{} on {}, {} seeds", example->model, example->dataset, all.runs.size());
  page.program = "factorgcn " FACTORGCN_VERSION;
  page.created = page_time_now();
  std::string seeds;
  for (const SeedRun& run : all.runs) {
    seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", run.seed);
  }
  page.facts = {
      {"data set", example->dataset},  {"model", example->model}, {"preset", example->preset},
      {"protocol", example->protocol}, {"seeds", seeds},          {"time of all runs", format_duration(all.seconds())}};
  page.notes = seed_notes(all);
  page.notes.push_back(run_protocol_text(*example));
  const RunConfig config = read_run_config(seed_run_folder(folder, example->seed));
  std::string departures = departures_text(departures_from_preset(config, data), std::numeric_limits<int>::max());
  if (!departures.empty()) {
    departures.pop_back();  // the line's end
    page.notes.push_back(departures);
  }
  page.tables = {table_of_means(all, *example), table_of_runs(all, *example)};
  PageCurves curves;
  curves.id = "curves";
  curves.title = "Training curves";
  for (const SeedRun& run : all.runs) {
    const std::filesystem::path file = RunPaths(seed_run_folder(folder, run.seed)).history;
    const auto history = std::filesystem::exists(file) ? read_history(file.string()) : std::vector<EpochRecord>();
    if (!history.empty()) {
      curves.runs.push_back(page_curve_run(history, fmt::format("seed {}", run.seed)));
    }
  }
  if (!curves.runs.empty()) {
    page.curves.push_back(std::move(curves));
  }
  return page;
}

}  // namespace factorgcn
