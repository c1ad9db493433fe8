// Scores of rankings, averaged over the classes or labels that some samples have and some have not.
#pragma once

#include <span>
#include <vector>

#include "eval/metrics/intervals.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// One column's ranking as a score sees it.
struct RankedColumn {
  const Answers::Ranking& ranking;
  std::span<const char> positive;  ///< by row
  double positives = 0, negatives = 0;
};

struct RankedScore {
  double value = 0;
  double variance = 0;             ///< where it is more than the influences tell; 0: it is not
  std::vector<double> influences;  ///< by row
  double samples = 0;              ///< what counts where everything is right
};

/// Nothing where answers cannot be ranked, or no column has both positives and negatives. `chance` gets the share of
/// positives of a column.
MetricScore average_over_rankings(const Answers& answers, RankedScore (*score)(const RankedColumn&),
                                  double (*chance)(double positive_share));

}  // namespace factorgcn
