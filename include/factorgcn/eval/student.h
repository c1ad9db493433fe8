// Student's t distribution, for what a few runs say about many.
#pragma once

#include "factorgcn/base/export.h"

namespace factorgcn {

/// The share of Student's distribution with that many degrees of freedom (above 0, not necessarily whole) below `t`.
FACTORGCN_API double student_share_below(double t, double degrees);

/// The reverse, by bisection to the last digits; `share` lies in 0 .. 1, both ends excluded.
FACTORGCN_API double student_quantile(double share, double degrees);

}  // namespace factorgcn
