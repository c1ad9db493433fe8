// Mean absolute error over all values.
#include <algorithm>
#include <cmath>

#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"

namespace factorgcn {
namespace {

/// Of always answering each column's median.
double mae_of_medians(const Answers& answers) {
  std::vector<double> column(static_cast<std::size_t>(answers.rows()));
  double sum = 0;
  for (std::int64_t at = 0; at < answers.columns(); ++at) {
    for (std::int64_t row = 0; row < answers.rows(); ++row) {
      column[row] = answers.target(row, at);
    }
    const auto middle = column.begin() + answers.rows() / 2;
    std::nth_element(column.begin(), middle, column.end());
    for (const double target : column) {
      sum += std::abs(target - *middle);
    }
  }
  return sum / static_cast<double>(answers.rows() * answers.columns());
}

MetricScore score_mae(const Answers& answers) {
  const auto rows = static_cast<double>(answers.rows());
  std::vector<double> errors(static_cast<std::size_t>(answers.rows()));
  double mean = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    for (std::int64_t column = 0; column < answers.columns(); ++column) {
      errors[row] += std::abs(answers.prediction(row, column) - answers.target(row, column));
    }
    errors[row] /= static_cast<double>(answers.columns());
    mean += errors[row] / rows;
  }
  for (double& error : errors) {
    error = (error - mean) / rows;
  }
  return {mean, mae_of_medians(answers), positive_interval(mean, influence_variance(errors), answers.rows())};
}

}  // namespace

Metric metric_entries::mae() {
  return {.name = "mae",
          .label = "MAE",
          .measures = "how far a predicted value is from the true one on average (0 is perfect)",
          .better = Better::kLower,
          .kinds = {TargetKind::kValues},
          .score = score_mae,
          .begin = [](std::int64_t) -> std::unique_ptr<MetricSum> { return std::make_unique<MeanAbsoluteError>(); }};
}

}  // namespace factorgcn
