// One pass for the mean, one for the squares.
#include "eval/metrics/squared_errors.h"

namespace factorgcn {

SquaredErrors::SquaredErrors(const Answers& answers, std::int64_t column) {
  double mean = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    mean += answers.target(row, column);
  }
  mean /= static_cast<double>(answers.rows());
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    const double error = answers.prediction(row, column) - answers.target(row, column);
    const double distance = answers.target(row, column) - mean;
    errors.push_back(error * error);
    distances.push_back(distance * distance);
    error_sum += errors.back();
    distance_sum += distances.back();
  }
}

}  // namespace factorgcn
