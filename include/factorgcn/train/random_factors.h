// GED_E and C-Score of factor graphs that are drawn at random: the bottom line of the disentanglement tables.
#pragma once

#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/eval/disentanglement.h"

namespace factorgcn {

struct FACTORGCN_API RandomFactorScores {
  DisentanglementScore all_pairs;  ///< coefficients over all pairs of nodes, as in the paper's table
  DisentanglementScore edges;      ///< coefficients on the graph's edges alone, where any model's lie
};

/// Coefficients uniform in 0 .. 1, drawn from the seed. Throws UsageError where the data set has no ground truth.
/// Cost: O(nodes^2 factors) per graph.
FACTORGCN_API RandomFactorScores score_random_factors(const Dataset& dataset, std::span<const std::int64_t> graphs,
                                                      int factors, std::uint64_t seed);

}  // namespace factorgcn
