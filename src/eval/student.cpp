// The share is an incomplete beta function, computed by its continued fraction (Lentz's method).
#include "factorgcn/eval/student.h"

#include <cmath>
#include <limits>

#include "base/log_gamma.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr int kMostTerms = 10'000;  // some hundred are enough for any number of runs

/// The regularised incomplete beta function I_x(a, b) where x is below its mean, where the fraction converges fast.
double beta_share_left(double x, double a, double b) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  const auto kept_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / kept_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int term = 1; term < kMostTerms; ++term) {
    double step = 1;
    for (const double numerator : {term * (b - term) * x / ((a + 2 * term - 1) * (a + 2 * term)),
                                   -(a + term) * (a + b + term) * x / ((a + 2 * term) * (a + 2 * term + 1))}) {
      d = 1 / kept_from_zero(1 + numerator * d);
      c = kept_from_zero(1 + numerator / c);
      step = c * d;
      fraction *= step;
    }
    if (std::abs(step - 1) < 1e-15) {
      break;
    }
  }
  const double logarithm = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(logarithm) * fraction / a;
}

double beta_share(double x, double a, double b) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  return x < (a + 1) / (a + b + 2) ? beta_share_left(x, a, b) : 1 - beta_share_left(1 - x, b, a);
}

}  // namespace

double student_share_below(double t, double degrees) {
  require(degrees > 0, "Student's distribution has ", degrees, " degrees of freedom; there must be some");
  if (!std::isfinite(t)) {
    return std::isnan(t) ? t : t < 0 ? 0 : 1;
  }
  // Of the two forms, the one whose argument is far from 1 keeps its digits.
  const double square = t * t;
  const double tails = square < degrees ? 1 - beta_share(square / (degrees + square), 0.5, degrees / 2)
                                        : beta_share(degrees / (degrees + square), degrees / 2, 0.5);
  return t < 0 ? tails / 2 : 1 - tails / 2;
}

double student_quantile(double share, double degrees) {
  require(share > 0 && share < 1, "there is no quantile of a share of ", share, "; it lies between 0 and 1");
  if (share == 0.5) {
    return 0;
  }
  if (share > 0.5) {
    return -student_quantile(1 - share, degrees);
  }
  double low = -1, high = 0;
  while (student_share_below(low, degrees) > share && std::isfinite(2 * low)) {
    high = low;
    low *= 2;
  }
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) {
      break;
    }
    (student_share_below(middle, degrees) > share ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

}  // namespace factorgcn
