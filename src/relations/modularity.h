// Communities of a weighted graph by modularity: the quick search that most people know, for evidence beside our own.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn::relations {

/// The community of each node, from 0: nodes move to the neighbouring community that gains most, then communities
/// become nodes, until nothing moves (Blondel and others 2008). Weights of 0 are no links. Deterministic: nodes move in
/// their order. Cost: some passes of O(E log degree).
FACTORGCN_API std::vector<std::int32_t> modularity_communities(std::int64_t nodes,
                                                               const std::vector<std::int32_t>& sources,
                                                               const std::vector<std::int32_t>& targets,
                                                               const std::vector<double>& weights);

}  // namespace factorgcn::relations
