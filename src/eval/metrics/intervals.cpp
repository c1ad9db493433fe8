// The formulas behind the intervals.
#include "eval/metrics/intervals.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/eval/student.h"

namespace factorgcn {
namespace {

/// 97.5 % quantile of the normal distribution.
constexpr double kNormalQuantile = 1.959963984540054;

}  // namespace

Interval wilson_interval(double share, double count) {
  const double square = kNormalQuantile * kNormalQuantile / count;
  const double centre = share + square / 2;
  const double arm = std::sqrt(square * (share * (1 - share) + square / 4));
  // Rounding must not push the ends inside of a share of 0 or 1.
  return {share <= 0 ? 0.0 : std::max(0.0, (centre - arm) / (1 + square)),
          share >= 1 ? 1.0 : std::min(1.0, (centre + arm) / (1 + square))};
}

double influence_variance(std::span<const double> influences) {
  if (influences.size() < 2) {
    return 0;
  }
  double sum = 0;
  for (const double influence : influences) {
    sum += influence * influence;
  }
  const auto count = static_cast<double>(influences.size());
  return sum * count / (count - 1);
}

Interval share_interval(double value, double variance, double samples) {
  const double plain = value * (1 - value);
  return wilson_interval(value, plain > 0 && variance > 0 ? plain / variance : samples);
}

std::optional<Interval> positive_interval(double value, double variance, std::int64_t samples) {
  if (samples < 2 || !(value > 0) || !(variance > 0)) {
    return {};
  }
  const double quantile = student_quantile(0.975, static_cast<double>(samples - 1));
  const double factor = std::exp(quantile * std::sqrt(variance) / value);
  return Interval{value / factor, value * factor};
}

AveragedPart average_parts(std::span<const AveragedPart> parts, double variance, double dependence) {
  const auto count = static_cast<double>(parts.size());
  AveragedPart all;
  double below = 0, above = 0, apart = 0;
  for (const AveragedPart& part : parts) {
    all.value += part.value / count;
    below += std::pow((part.value - part.interval.low) / count, 2);
    above += std::pow((part.interval.high - part.value) / count, 2);
    apart += part.variance / (count * count);
  }
  const double together = parts.size() == 1 ? 1.0 : variance > 0 && apart > 0 ? variance / apart : dependence;
  all.interval = {std::max(0.0, all.value - std::sqrt(together * below)),
                  std::min(1.0, all.value + std::sqrt(together * above))};
  all.variance = variance;
  return all;
}

}  // namespace factorgcn
