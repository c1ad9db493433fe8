// Student's intervals of means and differences.
#include "factorgcn/eval/several_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/eval/student.h"

namespace factorgcn {
namespace {

/// How far from the middle a share of `level` reaches.
double two_sided_quantile(double level, double degrees) { return student_quantile(0.5 + level / 2, degrees); }

constexpr double kManyDegrees = 1e6;  // the normal distribution to six digits

struct Moments {
  double count = 0, mean = 0, variance = 0;  // variance: divided by count - 1
};

Moments moments_of(std::span<const double> values) {
  Moments moments;
  for (const double value : values) {
    if (std::isfinite(value)) {
      moments.count += 1;
      moments.mean += value;
    }
  }
  if (moments.count == 0) {
    moments.mean = std::numeric_limits<double>::quiet_NaN();
    return moments;
  }
  moments.mean /= moments.count;
  for (const double value : values) {
    if (std::isfinite(value)) {
      moments.variance += (value - moments.mean) * (value - moments.mean);
    }
  }
  moments.variance = moments.count > 1 ? moments.variance / (moments.count - 1) : 0;
  return moments;
}

Interval around(double value, double arm) { return {value - arm, value + arm}; }

}  // namespace

Spread spread_of(std::span<const double> values) {
  const Moments moments = moments_of(values);
  Spread spread;
  spread.runs = static_cast<std::int64_t>(moments.count);
  spread.mean = spread.lowest = spread.highest = moments.mean;
  for (const double value : values) {
    if (std::isfinite(value)) {
      spread.lowest = std::min(spread.lowest, value);
      spread.highest = std::max(spread.highest, value);
    }
  }
  if (spread.runs >= 2) {
    spread.deviation = std::sqrt(moments.variance);
    spread.interval =
        around(moments.mean, two_sided_quantile(0.95, moments.count - 1) * std::sqrt(moments.variance / moments.count));
  }
  return spread;
}

std::optional<bool> Difference::more_than_noise() const {
  if (!interval) {
    return {};
  }
  return interval->low > 0 || interval->high < 0;
}

Difference paired_difference(std::span<const double> left, std::span<const double> right, double level,
                             double overlap) {
  require(left.size() == right.size(), "paired runs: ", left.size(), " on one side, ", right.size(), " on the other");
  std::vector<double> differences;
  for (std::size_t index = 0; index < left.size(); ++index) {
    differences.push_back(left[index] - right[index]);
  }
  const Moments moments = moments_of(differences);
  Difference result;
  result.value = moments.mean;
  result.pairs = static_cast<std::int64_t>(moments.count);
  if (moments.count >= 2) {
    result.how = Comparison::kPaired;
    result.interval = around(moments.mean, two_sided_quantile(level, moments.count - 1) *
                                               std::sqrt(moments.variance * (1 / moments.count + overlap)));
  }
  return result;
}

Difference unpaired_difference(std::span<const double> left, std::span<const double> right, double level) {
  const Moments a = moments_of(left), b = moments_of(right);
  Difference result;
  result.value = a.mean - b.mean;
  if (a.count < 1 || b.count < 1 || a.count + b.count < 3) {
    return result;
  }
  if (a.count == 1 || b.count == 1) {
    const Moments& many = a.count == 1 ? b : a;
    result.how = Comparison::kOneToMany;
    result.interval = around(
        result.value, two_sided_quantile(level, many.count - 1) * std::sqrt(many.variance * (1 + 1 / many.count)));
    return result;
  }
  result.how = Comparison::kUnpaired;
  const double own = a.variance / a.count, other = b.variance / b.count;
  if (own + other == 0) {
    result.interval = around(result.value, 0);
    return result;
  }
  const double degrees = (own + other) * (own + other) / (own * own / (a.count - 1) + other * other / (b.count - 1));
  result.interval = around(result.value, two_sided_quantile(level, degrees) * std::sqrt(own + other));
  return result;
}

Difference sampled_difference(double left, const Interval& of_left, double right, const Interval& of_right,
                              double level) {
  Difference result;
  result.how = Comparison::kOneToOne;
  result.value = left - right;
  const double wider = two_sided_quantile(level, kManyDegrees) / two_sided_quantile(0.95, kManyDegrees);
  result.interval = {result.value - wider * std::hypot(left - of_left.low, of_right.high - right),
                     result.value + wider * std::hypot(of_left.high - left, right - of_right.low)};
  return result;
}

}  // namespace factorgcn
