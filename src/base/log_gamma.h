// The logarithm of the gamma function, for several threads at once: std::lgamma writes the sign of its argument's gamma
// into a variable that all threads share.
#pragma once

#include <cmath>

namespace factorgcn {

inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace factorgcn
