// The closing report of a cross-validation.
#include "factorgcn/report/fold_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/train/evaluate.h"

namespace factorgcn {
namespace {

/// A mean over folds has one decimal, as the paper prints it.
std::string percent(const Metric& metric, double mean, double deviation) {
  return format_fixed(metric.shown(mean), 1) + " ± " + format_fixed(metric.shown(deviation), 1);
}

/// What is known of the configuration's own protocol beside its mean; empty for older files.
std::string pooled_text(const RunMetrics& shared) {
  const std::string metric = metric_name(Task::kGraphClass);
  const auto samples = shared.samples.find("test");
  if (samples == shared.samples.end() || !shared.intervals.contains(metric)) {
    return "";
  }
  const std::string small = small_part_text(samples->second, "test");
  return fmt::format(" All {} test graphs together, {} protocol: {} {} with a 95 % interval of {}; chance {}.{}{}",
                     format_count(samples->second), shared.protocol, metric_label(metric),
                     metric_text(metric, shared.test.at(metric)), interval_text(shared, metric),
                     chance_text(shared, metric), small.empty() ? "" : " ", small);
}

/// "epoch 122" where all folds share it, else the range.
std::string epochs_text(const std::vector<std::int64_t>& epochs) {
  if (epochs.empty()) {
    return "-";
  }
  const auto [least, most] = std::minmax_element(epochs.begin(), epochs.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

}  // namespace

Table fold_table(const FoldMetrics& metrics) {
  const Metric& metric = *find_metric(metric_name(Task::kGraphClass));
  Table table(
      {{"protocol"}, {metric.label_with_unit(), Align::kPoint}, {"paper", Align::kPoint}, {"best epoch"}, {"folds"}});
  const PaperValue* paper = find_paper_value(metrics.shared.dataset, 0, metrics.shared.model, metric.name);
  for (const FoldSummary& summary : metrics.protocols) {
    // The paper's numbers follow the published protocol; beside another one they would compare unlike things.
    const bool comparable = paper != nullptr && summary.protocol == "published";
    table.add_row({summary.protocol, percent(metric, summary.mean, summary.deviation), comparable ? paper->text() : "-",
                   epochs_text(summary.best_epochs), fmt::format("{}", summary.accuracy.size())});
  }
  return table;
}

std::string fold_report(const FoldMetrics& metrics, const std::vector<std::string>& departures,
                        const Terminal& terminal) {
  const int width = std::clamp(terminal.width, 60, 100);
  const RunMetrics& shared = metrics.shared;
  const bool has_epochs = shared.epochs_run > 0;  // support vector machines have none
  std::string text =
      wrap_text(fmt::format("{} on {}, cross-validation, seed {}: {}{} in all", shared.model, shared.dataset,
                            shared.seed, has_epochs ? fmt::format("{} epochs a fold, ", shared.epochs_run) : "",
                            format_duration(shared.seconds)),
                width);
  text += "\n\n" + fold_table(metrics).to_text(terminal.utf8) + "\n";
  const std::string how =
      has_epochs ? "published: each fold trains on all the others; the test curves are averaged and their best epoch "
                   "counts, so the test graphs choose the epoch. corrected: an inner validation split chooses each "
                   "fold's epoch."
                 : "There are no epochs: each fold fits a support vector machine. published: on all the other folds; "
                   "cross-validation inside them chooses features, kernel and cost. corrected: an inner validation "
                   "split chooses, and the rest is fitted. Test graphs never choose.";
  text += wrap_text(how + " The number after ± is the spread over the folds." + pooled_text(shared), width);
  text += "\n" + departures_text(departures, width);
  return terminal.utf8 ? text : to_ascii(text);
}

}  // namespace factorgcn
