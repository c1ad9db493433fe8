// Which edges to label next: those whose relation is least certain and that tell most about others.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/relations/relation_graph.h"

namespace factorgcn::relations {

/// The first `count`, the most telling first; known edges are left out. `shares` [E, K]. An edge counts the more the
/// more edges share its nodes, and the less the more edges at its nodes have been chosen already.
/// Cost: O(E K + count^2).
std::vector<std::int64_t> edges_to_ask(const RelationGraph& graph, const std::vector<float>& shares, int relations,
                                       const KnownEdges& known, int count);

}  // namespace factorgcn::relations
