// The closing report of a run, put together from metrics.json's values alone, so that evaluate shows the same as train.
#include "factorgcn/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>

#include "factorgcn/base/text.h"
#include "factorgcn/report/paper_values.h"

namespace factorgcn {
namespace {

/// Metrics in the order in which they are shown.
constexpr std::array kShown = {"micro_f1", "mae", "accuracy", "mean_recall", "ged_e", "c_score"};

/// The paper speaks of accuracy, in %, where this program says which kind.
std::string paper_metric(const std::string& metric) { return metric == "mean_recall" ? "accuracy" : metric; }

std::string value_text(const RunMetrics& metrics, const std::string& metric) {
  const double value = metrics.test.at(metric);
  if (metric == "accuracy" || metric == "mean_recall") {
    return format_fixed(100 * value, 2);
  }
  if (metric != "ged_e") {
    return format_fixed(value, 4);
  }
  const auto deviation = metrics.test.find("ged_e_std");
  return format_fixed(value, 2) + (deviation == metrics.test.end() ? "" : " ± " + format_fixed(deviation->second, 2));
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

std::vector<std::string> shown_metrics(const RunMetrics& metrics) {
  std::vector<std::string> shown;
  std::copy_if(kShown.begin(), kShown.end(), std::back_inserter(shown),
               [&](const char* metric) { return metrics.test.count(metric) > 0; });
  return shown;
}

const PaperValue* paper_value_beside(const RunMetrics& metrics, const std::string& metric) {
  return find_paper_value(metrics.dataset, static_cast<int>(metrics.factors.value_or(0)), metrics.model,
                          paper_metric(metric));
}

std::string metric_split(const RunMetrics& metrics, const std::string& metric) {
  // The C-Score shares GED_E's.
  const auto found = metrics.splits.find(metric == "c_score" ? "ged_e" : metric);
  return found == metrics.splits.end() ? "test" : found->second;
}

std::string run_explanation(const RunMetrics& metrics) {
  const auto has = [&](const char* metric) { return metrics.test.count(metric) > 0; };
  std::string text = "How to read this.";
  if (has("micro_f1")) {
    text += " micro-F1: how well the network names the labels of a graph it has never seen (1 is perfect).";
  }
  if (has("mae")) {
    text += " MAE: how far a predicted value is from the true one on average (0 is perfect).";
  }
  if (has("accuracy")) {
    text += " accuracy: share of graphs put into the right class, in %.";
  }
  if (has("mean_recall")) {
    text += " mean recall: share of nodes put into the right class, averaged over the classes, in %.";
  }
  if (has("ged_e")) {
    text += " GED_E: how many entries of a factor graph differ from the true graph it matches best (0 is perfect;";
    text += " the number after ± is the spread over samples).";
  }
  if (has("c_score")) {
    text += " C-Score: how often a kind of true graph is found by the same factor (1 is always).";
  }
  const std::vector<std::string> shown = shown_metrics(metrics);
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
  return "Protocol: " + metrics.protocol +
         ". The model with the best validation score is scored on the test split, which "
         "training never saw.";
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
  Table table({{"metric"}, {"this run", Align::kPoint}, {"paper", Align::kPoint}, {"on"}, {"better"}});
  for (const std::string& metric : shown_metrics(metrics)) {
    const PaperValue* paper = paper_value_beside(metrics, metric);
    table.add_row({metric_label(metric), value_text(metrics, metric), paper == nullptr ? "-" : paper->text(),
                   metric_split(metrics, metric), smaller_is_better(metric) ? "lower" : "higher"});
  }
  return table;
}

std::vector<std::string> departures_from_preset(const RunConfig& config, const OpenedData& data) {
  if (config.preset == "none" || config.preset == "default") {
    return {};
  }
  const nlohmann::json own = to_json(config);
  nlohmann::json layer;
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
  text += wrap_text(run_protocol_text(metrics), width) + "\n";
  text += departures_text(departures, width);
  text += fmt::format("\n{}\n", wrap_text(run_explanation(metrics), width));
  return terminal.utf8 ? text : to_ascii(text);
}

}  // namespace factorgcn
