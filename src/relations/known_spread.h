// Known edges on large graphs, in linear time: a ridge regression on edges' features, then what it leaves over at known
// edges spreads over edges that share nodes.
#pragma once

#include <vector>

#include "relations/edge_features.h"

namespace factorgcn::relations {

struct SpreadFit {
  std::vector<float> values;     // [E, L]
  std::vector<double> left_out;  // [n, L] known edges as predicted by a fit that did not see them
  int folds = 0;
};

/// `targets` are truths less `shares`. Cost: O(known x features^2 + rounds x edges x L), once and once per fold.
SpreadFit fit_and_spread(const RelationGraph& graph, const KnownEdges& known, const EdgeFeatures& features,
                         const std::vector<double>& shares, const std::vector<double>& targets);

}  // namespace factorgcn::relations
