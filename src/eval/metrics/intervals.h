// 95 % intervals without random numbers.
//
// An influence is how a score changes as one sample's weight grows: the sum of their squares estimates the score's
// variance (the infinitesimal jackknife; for the area under the ROC curve it is DeLong's). Scores between 0 and 1 then
// get Wilson's interval of as many samples as a plain share of that variance would have: it stays inside 0 .. 1 and is
// no point where everything was right.
#pragma once

#include <optional>
#include <span>

#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// Variance of a score from the influences of its samples; 0 for fewer than two.
double influence_variance(std::span<const double> influences);

/// Of a score in 0 .. 1. `samples`: what counts where the variance is 0 or cannot be estimated.
Interval share_interval(double value, double variance, double samples);

/// Of a positive quantity, on the scale of its logarithm, with Student's quantile. Nothing where the variance is 0.
std::optional<Interval> positive_interval(double value, double variance, std::int64_t samples);

/// One class or label of an average over several.
struct AveragedPart {
  double value = 0;
  Interval interval;
  double variance = 0;  ///< from influences
};

/// Averages parts. Their intervals' arms are combined as those of independent ones (Zou and Donner's MOVER), times how
/// much larger `variance`, that of the average itself, is than if they were; `dependence` stands in where all variances
/// are 0. Every part's own uncertainty counts, also that of a small class without a mistake.
AveragedPart average_parts(std::span<const AveragedPart> parts, double variance, double dependence);

/// Classes share their mistakes, two by two; labels need not.
inline constexpr double kClassDependence = 2.0;
inline double usual_dependence(const Answers& answers) {
  return answers.kind() == TargetKind::kClasses ? kClassDependence : 1.0;
}

}  // namespace factorgcn
