// How alike edges are to the known ones, in three ways; each a matrix [E, n] whose known rows have a diagonal of
// about 1.
#pragma once

#include <vector>

#include "relations/edge_features.h"

namespace factorgcn::relations {

using KernelColumns = std::vector<float>;  // [E, n]

/// Like features: exp(-|f - g|^2 / (2 width^2 columns)).
KernelColumns feature_kernel(const EdgeFeatures& features, const std::vector<std::int64_t>& known, double width);

/// Like ends: nodes are alike as random walks from them end at the same places.
KernelColumns ends_kernel(const Links& links, const RelationGraph& graph, const std::vector<std::int64_t>& known);

/// The same node at one end at least, whoever is at the other.
KernelColumns shared_end_kernel(const RelationGraph& graph, const std::vector<std::int64_t>& known);

/// Spreading over edges that share nodes: the columns of (I - 0.9 S)^-1, S their normalised matrix.
KernelColumns spread_kernel(const RelationGraph& graph, const std::vector<std::int64_t>& known);

}  // namespace factorgcn::relations
