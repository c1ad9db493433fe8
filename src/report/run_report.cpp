// The closing report of a run, put together from metrics.json's values alone, so that evaluate shows the same as train.
#include "factorgcn/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/paper_values.h"

namespace factorgcn {
namespace {

std::string value_text(const RunMetrics& metrics, const std::string& metric) {
  const auto deviation = metrics.test.find(metric + "_std");
  return metric_text(metric, metrics.test.at(metric)) +
         (deviation == metrics.test.end() ? "" : " ± " + metric_text(metric, deviation->second));
}

/// No better than what chance scores, as far as the interval tells.
bool is_no_better_than_chance(const RunMetrics& metrics, const std::string& name) {
  const auto chance = metrics.chance.find(name);
  const auto interval = metrics.intervals.find(name);
  if (chance == metrics.chance.end() || interval == metrics.intervals.end()) {
    return false;
  }
  return smaller_is_better(name) ? interval->second.high >= chance->second : interval->second.low <= chance->second;
}

void collect_differences(const nlohmann::json& own, const nlohmann::json& preset, const std::string& preset_name,
                         std::vector<std::string>& differences) {
  static constexpr std::array kCompared = {"data",         "model_settings", "epochs",   "batch_size",  "learning_rate",
                                           "weight_decay", "lambda",         "schedule", "metric_layer"};
  const nlohmann::json missing;
  const auto compare = [&](const std::string& name, const nlohmann::json& left, const nlohmann::json& right) {
    if (left != right) {
      const std::string from = right.is_null() ? "not set" : right.dump();
      differences.push_back(
          fmt::format("{} {} ({}: {})", name, left.is_null() ? "not set" : left.dump(), preset_name, from));
    }
  };
  for (const char* key : kCompared) {
    if (!own.at(key).is_object()) {
      compare(key, own.at(key), preset.at(key));
      continue;
    }
    for (const auto& [name, value] : own.at(key).items()) {
      compare(name, value, preset.at(key).contains(name) ? preset.at(key).at(name) : missing);
    }
    for (const auto& [name, value] : preset.at(key).items()) {
      if (!own.at(key).contains(name)) {
        compare(name, missing, value);
      }
    }
  }
}

}  // namespace

std::string score_title(const RunMetrics& metrics) {
  if (metrics.status != RunStatus::kDiverged) {
    return "this run";
  }
  return metrics.best_epoch == 0 ? "untrained" : fmt::format("epoch {}, before it diverged", metrics.best_epoch);
}

std::vector<std::string> run_warnings(const RunMetrics& metrics) {
  std::vector<std::string> warnings;
  const std::string metric = task_metric(metrics);
  if (metrics.status == RunStatus::kDiverged) {
    warnings.push_back(metrics.best_epoch == 0
                           ? "TRAINING DIVERGED before an epoch was complete. The scores are those of a network that "
                             "has learnt nothing; a smaller --learning-rate often helps."
                           : fmt::format("TRAINING DIVERGED after {} epochs. The scores are those of the best model "
                                         "before that, of epoch {}, and not of a finished run; a smaller "
                                         "--learning-rate often helps.",
                                         metrics.epochs_run, metrics.best_epoch));
  }
  if (metrics.protocol == "corrected" && metrics.test.contains(metric) && metric_split(metrics, metric) != "test") {
    warnings.push_back(fmt::format("There is no test part: the scores are those of the {0} part, which also chose the "
                                   "epoch, and so too good. Give the data a test part for a score to report.",
                                   metric_split(metrics, metric)));
  }
  if (is_no_better_than_chance(metrics, metric)) {
    warnings.push_back(fmt::format("No better than chance: the same answer for every sample has {} {}, which this "
                                   "score does not clearly beat.",
                                   metric_label(metric), chance_text(metrics, metric)));
  }
  return warnings;
}

std::string unknown_text(const RunMetrics& metrics) {
  std::map<std::string, std::string> names_by_reason;
  for (const std::string& name : all_metrics(metrics)) {
    if (std::isnan(metrics.test.at(name))) {
      const Metric* const metric = find_metric(name);
      std::string& names = names_by_reason[metric == nullptr ? "" : metric->unknown_because];
      names += (names.empty() ? "" : ", ") + metric_label(name);
    }
  }
  std::string text;
  for (const auto& [reason, names] : names_by_reason) {
    text += (text.empty() ? "Not known here: " : "; ") + names + (reason.empty() ? "" : " (" + reason + ")");
  }
  return text.empty() ? "" : text + ".";
}

std::string task_metric(const RunMetrics& run) {
  if (!run.metric.empty()) {
    return run.metric;
  }
  for (const Metric& metric : metrics()) {  // older files: they have no other
    if (!metric.is_of_factors() && run.test.contains(metric.name)) {
      return metric.name;
    }
  }
  return "";
}

std::vector<std::string> shown_metrics(const RunMetrics& run) {
  std::vector<std::string> shown;
  if (const std::string first = task_metric(run); run.test.contains(first)) {
    shown.push_back(first);
  }
  for (const Metric& metric : metrics()) {
    if (metric.is_of_factors() && run.test.contains(metric.name)) {
      shown.emplace_back(metric.name);
    }
  }
  return shown;
}

std::vector<std::string> further_metrics(const RunMetrics& run) {
  std::vector<std::string> further;
  for (const Metric& metric : metrics()) {
    if (!metric.is_of_factors() && metric.name != task_metric(run) && run.test.contains(metric.name)) {
      further.emplace_back(metric.name);
    }
  }
  return further;
}

std::vector<std::string> all_metrics(const RunMetrics& run) {
  std::vector<std::string> names = shown_metrics(run);
  const std::vector<std::string> further = further_metrics(run);
  names.insert(names.end(), further.begin(), further.end());
  return names;
}

std::vector<std::string> detailed_metrics(const RunMetrics& metrics) {
  std::vector<std::string> names = further_metrics(metrics);
  if (const std::string first = task_metric(metrics); metrics.intervals.contains(first)) {
    names.insert(names.begin(), first);
  }
  return names;
}

const PaperValue* paper_value_beside(const RunMetrics& metrics, const std::string& metric) {
  return find_paper_value(metrics.dataset, static_cast<int>(metrics.factors.value_or(0)), metrics.model, metric);
}

std::string metric_split(const RunMetrics& metrics, const std::string& metric) {
  // Scores of factors share the first one's part, the others that of the task's metric.
  const Metric* const entry = find_metric(metric);
  const auto found = metrics.splits.find(entry != nullptr && entry->is_of_factors() ? "ged_e" : task_metric(metrics));
  return found == metrics.splits.end() ? "test" : found->second;
}

std::string metric_title(const std::string& name) {
  const Metric* const metric = find_metric(name);
  return metric == nullptr ? name : metric->label_with_unit();
}

std::string metric_text(const std::string& name, double value) {
  const Metric* const metric = find_metric(name);
  return std::isnan(value)   ? "not known"
         : metric == nullptr ? format_fixed(value, 4)
                             : format_fixed(metric->shown(value), metric->decimals);
}

std::string interval_text(const RunMetrics& metrics, const std::string& metric) {
  const auto found = metrics.intervals.find(metric);
  return found == metrics.intervals.end()
             ? "not known"
             : metric_text(metric, found->second.low) + " to " + metric_text(metric, found->second.high);
}

std::string chance_text(const RunMetrics& metrics, const std::string& metric) {
  const auto found = metrics.chance.find(metric);
  return found == metrics.chance.end() ? "not known" : metric_text(metric, found->second);
}

Table detail_table(const RunMetrics& metrics) {
  Table table(
      {{"metric"}, {score_title(metrics), Align::kPoint}, {"95 % interval"}, {"chance", Align::kPoint}, {"better"}});
  for (const std::string& name : detailed_metrics(metrics)) {
    if (std::isnan(metrics.test.at(name))) {
      continue;  // unknown_text() names it
    }
    table.add_row({metric_title(name), metric_text(name, metrics.test.at(name)), interval_text(metrics, name),
                   chance_text(metrics, name), smaller_is_better(name) ? "lower" : "higher"});
  }
  return table;
}

std::string small_part_text(std::int64_t samples, const std::string& part) {
  if (samples >= kSmallPart) {
    return "";
  }
  return fmt::format("A small {} part: with fewer than {} samples a score says little; look at its interval.", part,
                     kSmallPart);
}

std::string samples_text(const RunMetrics& metrics) {
  const std::string part = metric_split(metrics, task_metric(metrics));
  const auto found = metrics.samples.find(part);
  if (found == metrics.samples.end()) {
    return "";
  }
  const std::string small = small_part_text(found->second, part);
  return fmt::format("On {} {} sample{}.{}{}", format_count(found->second), part, found->second == 1 ? "" : "s",
                     small.empty() ? "" : " ", small);
}

std::string run_explanation(const RunMetrics& metrics) {
  std::string text = "How to read this.";
  const std::vector<std::string> shown = shown_metrics(metrics);
  for (const std::string& name : shown) {
    const Metric* const metric = find_metric(name);
    text += metric == nullptr ? "" : fmt::format(" {}: {}.", metric->label, metric->measures);
  }
  if (!metrics.intervals.empty()) {
    text += " 95 % interval: where the score on endlessly many such samples lies, as far as these tell.";
  }
  if (!metrics.chance.empty()) {
    text += " chance: what the same answer for every sample would score";
    const bool of_factors = metrics.chance.contains("ged_e") || metrics.chance.contains("relation_auc");
    text += of_factors ? "; of factors, what coefficients drawn at random on the same edges would." : ".";
  }
  const bool beside_paper = std::any_of(shown.begin(), shown.end(), [&](const std::string& metric) {
    return paper_value_beside(metrics, metric) != nullptr;
  });
  if (beside_paper) {
    text += " The paper gives means over several runs: a single run may lie on either side.";
  }
  return text;
}

std::string run_protocol_text(const RunMetrics& metrics) {
  if (metrics.protocol == "published") {
    return "Protocol: published. It repeats the published evaluation, slips included: the column \"on\" shows which "
           "data "
           "each score was computed on. Use --protocol corrected for scores on unseen data.";
  }
  const std::string part = metric_split(metrics, task_metric(metrics));
  return "Protocol: " + metrics.protocol + ". The model with the best validation score is scored on the " + part +
         (part == "test" ? " split, which training never saw." : " split.");
}

std::string run_headline(const RunMetrics& metrics) {
  std::string text = fmt::format("{} on {}", metrics.model, metrics.dataset);
  if (metrics.factors) {
    text += fmt::format(", {} kinds of factor graphs", *metrics.factors);
  }
  text += fmt::format(", seed {}", metrics.seed);
  if (metrics.epochs_run > 0) {
    text += fmt::format(": {} epochs in {}, best at epoch {}", metrics.epochs_run, format_duration(metrics.seconds),
                        metrics.best_epoch);
  }
  return text;
}

Table run_table(const RunMetrics& metrics) {
  const std::vector<std::string> shown = shown_metrics(metrics);
  const bool has_paper = std::any_of(shown.begin(), shown.end(), [&](const std::string& metric) {
    return paper_value_beside(metrics, metric) != nullptr;
  });
  const bool has_chance = std::any_of(shown.begin(), shown.end(), [&](const std::string& metric) {
    const Metric* const entry = find_metric(metric);
    return entry != nullptr && entry->is_of_factors() && metrics.chance.contains(metric);
  });
  std::vector<Table::Column> columns{{"metric"}, {score_title(metrics), Align::kPoint}};
  if (has_chance) {
    columns.push_back({"chance", Align::kPoint});
  }
  if (has_paper) {
    columns.push_back({"paper", Align::kPoint});
  }
  columns.push_back({"on"});
  columns.push_back({"better"});
  Table table(columns);
  for (const std::string& metric : shown) {
    std::vector<std::string> row{metric_title(metric), value_text(metrics, metric)};
    if (has_chance) {
      row.push_back(chance_text(metrics, metric));
    }
    if (has_paper) {
      const PaperValue* paper = paper_value_beside(metrics, metric);
      row.push_back(paper == nullptr ? "-" : paper->text());
    }
    row.push_back(metric_split(metrics, metric));
    row.emplace_back(smaller_is_better(metric) ? "lower" : "higher");
    table.add_row(std::move(row));
  }
  return table;
}

std::vector<std::string> departures_from_preset(const RunConfig& config, const OpenedData& data) {
  if (config.preset == "none" || config.preset == "default") {
    return {};
  }
  const nlohmann::json own = to_json(config);
  nlohmann::json layer{{"data", nlohmann::json::object()}};
  for (const char* key : {"dataset", "model", "preset", "protocol", "seed"}) {
    layer[key] = own.at(key);
  }
  // These choose a data set of the paper, or a part of it, rather than change one.
  for (const char* key : {"factors", "seed", "fold", "folds", "fold_kind", "inner_validation"}) {
    if (own.at("data").contains(key)) {
      layer["data"][key] = own.at("data").at(key);
    }
  }
  const nlohmann::json preset = to_json(resolve_config(std::array{layer}, data));
  std::vector<std::string> differences;
  collect_differences(own, preset, config.preset, differences);
  return differences;
}

std::string departures_text(const std::vector<std::string>& departures, int width) {
  if (departures.empty()) {
    return "";
  }
  std::string note = "Not the paper's setting: ";
  for (std::size_t i = 0; i < departures.size(); ++i) {
    note += (i > 0 ? ", " : "") + departures[i];
  }
  return wrap_text(note + ". Compare with care.", width) + "\n";
}

std::string run_report(const RunMetrics& metrics, const std::vector<std::string>& departures,
                       const Terminal& terminal) {
  const int width = std::clamp(terminal.width, 60, 100);
  std::string text =
      wrap_text(run_headline(metrics), width) + "\n\n" + run_table(metrics).to_text(terminal.utf8) + "\n";
  if (const Table details = detail_table(metrics); !details.empty()) {
    const std::string samples = samples_text(metrics);
    text += (samples.empty() ? "" : wrap_text(samples, width) + "\n\n") + details.to_text(terminal.utf8) + "\n";
  }
  for (const std::string& warning : run_warnings(metrics)) {
    text += wrap_text(warning, width) + "\n";
  }
  if (const std::string unknown = unknown_text(metrics); !unknown.empty()) {
    text += wrap_text(unknown, width) + "\n";
  }
  text += wrap_text(run_protocol_text(metrics), width) + "\n";
  text += departures_text(departures, width);
  text += fmt::format("\n{}\n", wrap_text(run_explanation(metrics), width));
  return terminal.utf8 ? text : to_ascii(text);
}

}  // namespace factorgcn
