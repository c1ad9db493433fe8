// GED_E and C-Score of factor graphs that are drawn at random: the bottom line of the disentanglement tables.
#pragma once

#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/eval/disentanglement.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

struct FACTORGCN_API RandomFactorScores {
  DisentanglementScore all_pairs;  ///< coefficients over all pairs of nodes, as in the paper's table
  DisentanglementScore edges;      ///< coefficients on the graph's edges alone, where any model's lie
};

/// Coefficients uniform in 0 .. 1, drawn from the seed. Throws UsageError where the data set has no ground truth.
/// Cost: O(nodes^2 factors) per graph.
FACTORGCN_API RandomFactorScores score_random_factors(const Dataset& dataset, std::span<const std::int64_t> graphs,
                                                      int factors, std::uint64_t seed);

/// The run directory of a run without training: all pairs under the names that every model's scores have, so that
/// tables find them, and the edges' beside them. `force` lets it replace a former run.
FACTORGCN_API void keep_random_scores(const RunConfig& config, const Dataset& dataset, const RandomFactorScores& scores,
                                      bool force);

}  // namespace factorgcn
