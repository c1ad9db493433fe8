// Average precision: the precision at each threshold, weighted by how much more is found there. Averaged over classes
// (one against the rest) or labels.
#include "eval/metrics/list.h"
#include "eval/metrics/ranked_average.h"

namespace factorgcn {
namespace {

RankedScore average_precision_of(const RankedColumn& column) {
  RankedScore score;
  score.influences.resize(column.positive.size());
  score.samples = column.positives;
  const std::vector<std::int32_t>& ends = column.ranking.ends;
  std::vector<double> found(ends.size()), gained(ends.size());
  std::size_t at = 0;
  double so_far = 0;
  for (std::size_t group = 0; group < ends.size(); ++group) {
    for (; at < static_cast<std::size_t>(ends[group]); ++at) {
      gained[group] += column.positive[column.ranking.rows[at]];
    }
    so_far += gained[group];
    found[group] = so_far;
    score.value += gained[group] * found[group] / ends[group];
  }
  score.value /= column.positives;
  // A sample raises or lowers the precision at its own threshold and at all below it: sums from the end.
  double by_found = 0, by_all = 0;
  for (std::size_t group = ends.size(); group-- > 0;) {
    const double all = ends[group], precision = found[group] / all;
    by_found += gained[group] / all;
    by_all += gained[group] * precision / all;
    for (std::size_t row = group == 0 ? 0 : static_cast<std::size_t>(ends[group - 1]); row < all; ++row) {
      const bool positive = column.positive[column.ranking.rows[row]] != 0;
      score.influences[column.ranking.rows[row]] =
          ((positive ? precision - score.value + by_found : 0) - by_all) / column.positives;
    }
  }
  return score;
}

MetricScore score_average_precision(const Answers& answers) {
  return average_over_rankings(answers, average_precision_of, [](double share) { return share; });
}

}  // namespace

Metric metric_entries::average_precision() {
  return {.name = "average_precision",
          .label = "average precision",
          .measures =
              "share of right ones among the samples ranked first for a label or class, averaged over how many "
              "are taken (1 is perfect)",
          .kinds = {TargetKind::kLabels, TargetKind::kClasses},
          .score = score_average_precision,
          .unknown_because = "it needs samples of two classes, and a model that ranks them"};
}

}  // namespace factorgcn
