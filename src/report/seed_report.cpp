// Text and tables. Runs that diverged or are missing stand in words beside the means that they are not part of.
#include "factorgcn/report/seed_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_report.h"

namespace factorgcn {
namespace {

std::string seed_list(const std::vector<std::uint64_t>& seeds) {
  std::string text;
  for (std::size_t index = 0; index < seeds.size(); ++index) {
    text += fmt::format("{}{}", index == 0 ? "" : index + 1 == seeds.size() ? " and " : ", ", seeds[index]);
  }
  return text;
}

std::string score_of_run(const std::map<std::string, double>& scores, const std::string& metric) {
  const auto found = scores.find(metric);
  return found == scores.end() ? "-" : metric_text(metric, found->second);
}

/// "3 of 5 runs" where not all count.
std::string run_count(const SeedMetrics& all, std::int64_t counted) {
  const auto total = static_cast<std::int64_t>(all.runs.size());
  return counted == total ? fmt::format("{}", total) : fmt::format("{} of {}", counted, total);
}

}  // namespace

std::string spread_text(const std::string& metric, const Spread& spread) {
  return metric_text(metric, spread.mean) +
         (spread.deviation && std::isfinite(spread.mean) ? " ± " + metric_text(metric, *spread.deviation) : "");
}

std::string mean_interval_text(const std::string& metric, const Spread& spread) {
  return spread.interval
             ? metric_text(metric, spread.interval->low) + " to " + metric_text(metric, spread.interval->high)
             : "not known";
}

Table seed_table(const SeedMetrics& all) {
  const RunMetrics* const example = all.example();
  const auto spreads = all.spreads(&RunMetrics::test);
  bool any_paper = false, any_chance = false;
  for (const auto& [name, spread] : spreads) {
    any_paper = any_paper || paper_value_beside(*example, name) != nullptr;
    any_chance = any_chance || all.chance(name).has_value();
  }
  std::vector<Table::Column> columns{{"metric"},
                                     {"mean ± deviation", Align::kPoint},
                                     {"95 % interval of the mean"},
                                     {"lowest", Align::kPoint},
                                     {"highest", Align::kPoint},
                                     {"runs", Align::kRight}};
  if (any_chance) {
    columns.push_back({"chance", Align::kPoint});
  }
  if (any_paper) {
    columns.push_back({"paper", Align::kPoint});
  }
  columns.push_back({"better"});
  Table table(columns);
  for (const std::string& name : example == nullptr ? std::vector<std::string>() : all_metrics(*example)) {
    const auto found = spreads.find(name);
    if (found == spreads.end() || found->second.runs == 0) {
      continue;
    }
    const Spread& spread = found->second;
    std::vector<std::string> row{metric_title(name),
                                 spread_text(name, spread),
                                 mean_interval_text(name, spread),
                                 metric_text(name, spread.lowest),
                                 metric_text(name, spread.highest),
                                 run_count(all, spread.runs)};
    if (any_chance) {
      const auto chance = all.chance(name);
      row.push_back(chance ? metric_text(name, *chance) : "not known");
    }
    if (any_paper) {
      const PaperValue* const paper = paper_value_beside(*example, name);
      row.push_back(paper == nullptr ? "-" : paper->text());
    }
    row.emplace_back(smaller_is_better(name) ? "lower" : "higher");
    table.add_row(std::move(row));
  }
  return table;
}

Table seed_run_table(const SeedMetrics& all) {
  const RunMetrics* const example = all.example();
  const std::string metric = example == nullptr ? "" : task_metric(*example);
  const std::string part = example == nullptr ? "test" : metric_split(*example, metric);
  const bool has_validation = example != nullptr && example->validation.contains(metric) && part != "validation";
  std::vector<Table::Column> columns{{"seed", Align::kRight}, {"status"}};
  const std::string title = metric_title(metric);
  if (has_validation) {
    columns.push_back({"validation: " + title, Align::kPoint});
  }
  columns.push_back({part + ": " + title, Align::kPoint});
  columns.push_back({"best epoch", Align::kRight});
  columns.push_back({"time", Align::kRight});
  Table table(columns);
  for (const SeedRun& run : all.runs) {
    std::vector<std::string> row{fmt::format("{}", run.seed),
                                 run.metrics ? status_name(run.metrics->status) : "missing"};
    if (has_validation) {
      row.push_back(run.counts() ? score_of_run(run.metrics->validation, metric) : "-");
    }
    row.push_back(run.counts() ? score_of_run(run.metrics->test, metric) : "-");
    row.push_back(run.metrics && run.metrics->best_epoch > 0 ? fmt::format("{}", run.metrics->best_epoch) : "-");
    row.push_back(run.metrics ? format_duration(run.metrics->seconds) : "-");
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<std::string> seed_notes(const SeedMetrics& all) {
  std::vector<std::string> notes;
  if (const auto seeds = all.diverged(); !seeds.empty()) {
    notes.push_back(fmt::format(
        "Training diverged with seed{} {}: {} not in the means. A smaller --learning-rate often helps.",
        seeds.size() == 1 ? "" : "s", seed_list(seeds), seeds.size() == 1 ? "that run is" : "those runs are"));
  }
  if (const auto seeds = all.without_metrics(); !seeds.empty()) {
    notes.push_back(fmt::format("No result with seed{} {}; the same command tries again.", seeds.size() == 1 ? "" : "s",
                                seed_list(seeds)));
  }
  const RunMetrics* const example = all.example();
  if (example == nullptr) {
    return notes;
  }
  if (const std::string samples = samples_text(*example); !samples.empty()) {
    notes.push_back("Each run: " + samples);
  }
  notes.emplace_back(
      "Deviation: how much single runs differ. 95 % interval: where the mean of endlessly many such runs lies "
      "(Student's), as far as these tell; it speaks of other seeds, not of other test samples where all runs are "
      "scored "
      "on the same.");
  return notes;
}

std::string seed_report(const SeedMetrics& all, const std::vector<std::string>& departures, const Terminal& terminal) {
  const int width = std::clamp(terminal.width, 60, 100);
  const RunMetrics* const example = all.example();
  std::vector<std::uint64_t> seeds;
  for (const SeedRun& run : all.runs) {
    seeds.push_back(run.seed);
  }
  std::string text =
      example == nullptr ? "No run has a result" : fmt::format("{} on {}", example->model, example->dataset);
  text += fmt::format(", {} seed{} ({}): {} of training in all", seeds.size(), seeds.size() == 1 ? "" : "s",
                      seed_list(seeds), format_duration(all.seconds()));
  text = wrap_text(text, width) + "\n\n";
  if (const Table table = seed_table(all); !table.empty()) {
    text += table.to_text(terminal.utf8) + "\n";
  }
  text += seed_run_table(all).to_text(terminal.utf8) + "\n";
  for (const std::string& note : seed_notes(all)) {
    text += wrap_text(note, width) + "\n";
  }
  if (example != nullptr) {
    text += wrap_text(run_protocol_text(*example), width) + "\n";
  }
  text += departures_text(departures, width);
  return terminal.utf8 ? text : to_ascii(text);
}

}  // namespace factorgcn
