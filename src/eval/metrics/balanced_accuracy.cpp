// Balanced accuracy: each class's recall, averaged over the classes present. Files have always called it mean_recall.
#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"

namespace factorgcn {
namespace {

MetricScore score_balanced_accuracy(const Answers& answers) {
  const auto classes = static_cast<std::size_t>(answers.columns());
  std::vector<std::int64_t> right(classes), sizes(classes);
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    const auto wanted = static_cast<std::size_t>(answers.target_class(row));
    right[wanted] += answers.chosen_class(row) == answers.target_class(row);
    ++sizes[wanted];
  }
  std::vector<AveragedPart> recalls;
  for (std::size_t label = 0; label < classes; ++label) {
    if (sizes[label] > 0) {
      const auto size = static_cast<double>(sizes[label]);
      const double recall = static_cast<double>(right[label]) / size;
      recalls.push_back({recall, wilson_interval(recall, size), 0});
    }
  }
  // Each class has samples of its own, so recalls are independent.
  const AveragedPart all = average_parts(recalls, 0, 1);
  return {all.value, 1.0 / static_cast<double>(recalls.size()), all.interval};
}

}  // namespace

Metric metric_entries::balanced_accuracy() {
  return {.name = "mean_recall",
          .label = "balanced accuracy",
          .measures = "share of samples put into the right class, averaged over the classes, in %",
          .unit = "%",
          .decimals = 2,
          .kinds = {TargetKind::kClasses},
          .score = score_balanced_accuracy,
          .begin = [](std::int64_t classes) -> std::unique_ptr<MetricSum> {
            return std::make_unique<MeanRecall>(classes);
          }};
}

}  // namespace factorgcn
