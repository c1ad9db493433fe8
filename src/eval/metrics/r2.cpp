// R2: which share of the values' variance is explained, averaged over the columns that vary.
#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "eval/metrics/squared_errors.h"

namespace factorgcn {
namespace {

MetricScore score_r2(const Answers& answers) {
  std::vector<double> influences(static_cast<std::size_t>(answers.rows()));
  double unexplained = 0, columns = 0;
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    const SquaredErrors squares(answers, column);
    if (!(squares.distance_sum > 0)) {
      continue;
    }
    const double share = squares.error_sum / squares.distance_sum;
    unexplained += share;
    columns += 1;
    for (std::size_t row = 0; row < influences.size(); ++row) {
      influences[row] += (squares.errors[row] - share * squares.distances[row]) / squares.distance_sum;
    }
  }
  if (columns == 0) {
    return {};
  }
  unexplained /= columns;
  const auto left =
      positive_interval(unexplained, influence_variance(influences) / (columns * columns), answers.rows());
  return {1 - unexplained, 0.0, left ? std::optional(Interval{1 - left->high, 1 - left->low}) : std::nullopt};
}

}  // namespace

Metric metric_entries::r2() {
  return {.name = "r2",
          .label = "R²",
          .measures =
              "share of the values' variance that is explained (1 is perfect, 0 as good as always answering the "
              "mean)",
          .kinds = {TargetKind::kValues},
          .score = score_r2,
          .unknown_because = "all true values are equal"};
}

}  // namespace factorgcn
