// Root of the mean squared error over all values.
#include <cmath>

#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "eval/metrics/squared_errors.h"

namespace factorgcn {
namespace {

MetricScore score_rmse(const Answers& answers) {
  const auto values = static_cast<double>(answers.rows() * answers.columns());
  std::vector<double> influences(static_cast<std::size_t>(answers.rows()));
  double errors = 0, distances = 0;
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    const SquaredErrors squares(answers, column);
    errors += squares.error_sum;
    distances += squares.distance_sum;
    for (std::size_t row = 0; row < influences.size(); ++row) {
      influences[row] += squares.errors[row] / values;
    }
  }
  const double root = std::sqrt(errors / values);
  const double even = root * root / static_cast<double>(answers.rows());
  for (double& influence : influences) {
    influence = root > 0 ? (influence - even) / (2 * root) : 0;
  }
  return {root, std::sqrt(distances / values), positive_interval(root, influence_variance(influences), answers.rows())};
}

}  // namespace

Metric metric_entries::rmse() {
  return {.name = "rmse",
          .label = "RMSE",
          .measures = "as MAE, with large errors weighing more: the root of the mean squared error (0 is perfect)",
          .better = Better::kLower,
          .kinds = {TargetKind::kValues},
          .score = score_rmse};
}

}  // namespace factorgcn
