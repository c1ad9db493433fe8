// Accuracy: the share of samples whose class is named.
#include <algorithm>

#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"
#include "factorgcn/eval/confusion.h"

namespace factorgcn {
namespace {

MetricScore accuracy_of(const Confusion& confusion) {
  std::int64_t right = 0, largest = 0;
  for (std::int64_t label = 0; label < confusion.classes(); ++label) {
    right += confusion.right(label);
    largest = std::max(largest, confusion.size(label));
  }
  const auto count = static_cast<double>(confusion.rows());
  const double share = static_cast<double>(right) / count;
  return {share, static_cast<double>(largest) / count, wilson_interval(share, count)};
}

MetricScore score_accuracy(const Answers& answers) { return accuracy_of(Confusion(answers)); }

}  // namespace

Metric metric_entries::accuracy() {
  return {.name = "accuracy",
          .label = "accuracy",
          .measures = "share of samples put into the right class, in %",
          .unit = "%",
          .decimals = 2,
          .kinds = {TargetKind::kClasses},
          .score = score_accuracy,
          .score_counts = accuracy_of,
          .begin = [](std::int64_t) -> std::unique_ptr<MetricSum> { return std::make_unique<Accuracy>(); }};
}

}  // namespace factorgcn
