// Balanced accuracy: each class's recall, averaged over the classes present. Files have always called it mean_recall.
#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"
#include "factorgcn/eval/confusion.h"

namespace factorgcn {
namespace {

MetricScore balanced_accuracy_of(const Confusion& confusion) {
  std::vector<AveragedPart> recalls;
  for (std::int64_t label = 0; label < confusion.classes(); ++label) {
    if (confusion.size(label) > 0) {
      const auto size = static_cast<double>(confusion.size(label));
      const double recall = static_cast<double>(confusion.right(label)) / size;
      recalls.push_back({recall, wilson_interval(recall, size), 0});
    }
  }
  // Each class has samples of its own, so recalls are independent.
  const AveragedPart all = average_parts(recalls, 0, 1);
  return {all.value, 1.0 / static_cast<double>(recalls.size()), all.interval};
}

MetricScore score_balanced_accuracy(const Answers& answers) { return balanced_accuracy_of(Confusion(answers)); }

}  // namespace

Metric metric_entries::balanced_accuracy() {
  return {.name = "mean_recall",
          .label = "balanced accuracy",
          .measures = "share of samples put into the right class, averaged over the classes, in %",
          .unit = "%",
          .decimals = 2,
          .kinds = {TargetKind::kClasses},
          .score = score_balanced_accuracy,
          .score_counts = balanced_accuracy_of,
          .begin = [](std::int64_t classes) -> std::unique_ptr<MetricSum> {
            return std::make_unique<MeanRecall>(classes);
          }};
}

}  // namespace factorgcn
