// Known edges, by models of the relations themselves: each is a random graph of its own, and a pair has an edge where
// any of them has one.
//
// What most publications on the task do. They say more than likeness of edges where few edges are known and a relation
// follows degrees or communities, and less where many are known.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"

namespace factorgcn::relations {

/// Each relation a configuration model: an edge of i and j is in relation l with probability k_il k_jl / 2 m_l, and
/// degrees k follow from the edges' probabilities. EM, after Wu et al., Communications Physics 5 (2022). [E, L];
/// `used` says which of the known edges are looked at. Cost: O(E L) a round, 200 rounds.
FACTORGCN_API std::vector<float> configuration_models(const RelationGraph& graph, const KnownEdges& known,
                                                      const std::vector<char>& used);

/// Configuration models with communities: of each relation those of its known edges and of all unknown ones, by
/// modularity; how many of its known edges stay inside says how much a community counts. In the spirit of Kaiser,
/// Patwardhan and Radicchi, arXiv 2206.07529 (2022). Cost: O(L) searches for communities.
FACTORGCN_API std::vector<float> community_models(const RelationGraph& graph, const KnownEdges& known,
                                                  const std::vector<char>& used);

/// What the graph says without known edges: where nodes are joined more than by chance, by their degrees and the
/// graph's own communities, an edge is likely to be in several relations. These differ by their shares of known edges
/// alone. Where few edges are known this can be more than all that they tell. Cost: one search for communities.
FACTORGCN_API std::vector<float> crowding_model(const RelationGraph& graph, const KnownEdges& known,
                                                const std::vector<char>& used);

}  // namespace factorgcn::relations
