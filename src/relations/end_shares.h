// Known edges, by their ends alone: what a node's known edges are, its other edges are likely to be.
#pragma once

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"
#include "relations/known_averaging.h"

namespace factorgcn::relations {

/// Which of a node's known edges speak for another of its edges.
enum class EndEdges {
  kAll,
  kOfThatWay,  // of an edge's source those that it sends, of its target those that it receives
};

/// An edge's odds of a relation are those of its two ends over those of all known edges; a node's share has three edges
/// more, with the shares of all. What a known edge would be without itself follows in closed form. Cost: O(E L).
FACTORGCN_API Answer end_shares(const RelationGraph& graph, const KnownEdges& known, EndEdges which = EndEdges::kAll);

}  // namespace factorgcn::relations
