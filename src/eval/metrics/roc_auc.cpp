// Area under the ROC curve: how often a sample that has the label, or is of the class, is ranked before one that is
// not. Ties count half. Several classes: one against the rest, averaged; several labels: averaged.
#include <algorithm>
#include <cmath>

#include "eval/metrics/list.h"
#include "eval/metrics/ranked_average.h"

namespace factorgcn {
namespace {

RankedScore roc_auc_of(const RankedColumn& column) {
  RankedScore score;
  score.influences.resize(column.positive.size());
  double positives_before = 0, negatives_before = 0;
  std::size_t at = 0;
  // First each sample's share of the other kind that it is ranked well against, then its distance from the mean.
  for (const std::int32_t end : column.ranking.ends) {
    const auto begin = column.ranking.rows.begin() + static_cast<std::ptrdiff_t>(at);
    const auto rows = std::span(begin, static_cast<std::size_t>(end) - at);
    double tied = 0;
    for (const std::int32_t row : rows) {
      tied += column.positive[row];
    }
    const double tied_negatives = static_cast<double>(rows.size()) - tied;
    for (const std::int32_t row : rows) {
      score.influences[row] = column.positive[row] != 0
                                  ? (column.negatives - negatives_before - tied_negatives / 2) / column.negatives
                                  : (positives_before + tied / 2) / column.positives;
    }
    score.value += tied * (column.negatives - negatives_before - tied_negatives / 2);
    positives_before += tied;
    negatives_before += tied_negatives;
    at = static_cast<std::size_t>(end);
  }
  score.value /= column.positives * column.negatives;
  for (std::size_t row = 0; row < score.influences.size(); ++row) {
    const double count = column.positive[row] != 0 ? column.positives : column.negatives;
    score.influences[row] = (score.influences[row] - score.value) / std::sqrt(count * std::max(count - 1, 1.0));
  }
  score.samples = std::min(column.positives, column.negatives);
  if (score.samples < 2) {  // one sample tells nothing of its own spread: the largest there can be
    score.variance = score.value * (1 - score.value);
  }
  return score;
}

MetricScore score_roc_auc(const Answers& answers) {
  return average_over_rankings(answers, roc_auc_of, [](double) { return 0.5; });
}

}  // namespace

Metric metric_entries::roc_auc() {
  return {.name = "roc_auc",
          .label = "ROC AUC",
          .measures = "how often a sample with a label, or of a class, is ranked before one without (1 is always)",
          .kinds = {TargetKind::kLabels, TargetKind::kClasses},
          .score = score_roc_auc,
          .unknown_because = "it needs samples of two classes, and a model that ranks them"};
}

}  // namespace factorgcn
