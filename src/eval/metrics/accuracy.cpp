// Accuracy: the share of samples whose class is named.
#include <algorithm>

#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"

namespace factorgcn {
namespace {

MetricScore score_accuracy(const Answers& answers) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(answers.columns()));
  std::int64_t right = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    right += answers.chosen_class(row) == answers.target_class(row);
    ++sizes[static_cast<std::size_t>(answers.target_class(row))];
  }
  const auto count = static_cast<double>(answers.rows());
  const double share = static_cast<double>(right) / count;
  return {share, static_cast<double>(*std::max_element(sizes.begin(), sizes.end())) / count,
          wilson_interval(share, count)};
}

}  // namespace

Metric metric_entries::accuracy() {
  return {.name = "accuracy",
          .label = "accuracy",
          .measures = "share of samples put into the right class, in %",
          .unit = "%",
          .decimals = 2,
          .kinds = {TargetKind::kClasses},
          .score = score_accuracy,
          .begin = [](std::int64_t) -> std::unique_ptr<MetricSum> { return std::make_unique<Accuracy>(); }};
}

}  // namespace factorgcn
