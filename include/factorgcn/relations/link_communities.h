// Link communities: edges that share a node and have much the same neighbours belong together.
//
// After Ahn, Bagrow and Lehmann, "Link communities reveal multiscale complexity in networks", Nature 466 (2010). Each
// node i has a vector a_i over the nodes: the weights of its edges, and at i itself their mean (1 without weights).
// Two edges ik and jk are as similar as
//   S = a_i . a_j / (|a_i|^2 + |a_j|^2 - a_i . a_j)            (Tanimoto; without weights the Jaccard index of the
//                                                               neighbourhoods, each node counted among its own)
// Single linkage joins edges in falling similarity, and the cut is where the partition density is highest:
//   D = 2 / M * sum over communities of m (m - (n - 1)) / ((n - 2) (n - 1))          m edges, n nodes; 0 for n = 2
//
// The graph is taken as undirected; parallel edges are one with their weights added, and self loops belong nowhere.
// It is here as the method most people know for overlapping groups, to compare with. It knows nothing of relations:
// relations_from_communities() says how its communities become some.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Edges as they come: one entry of each array per edge, weights positive or empty (all 1).
struct FACTORGCN_API LinkGraph {
  std::int64_t num_nodes = 0;
  std::span<const std::int32_t> sources, targets;
  std::span<const float> weights;
};

struct FACTORGCN_API LinkCommunities {
  std::vector<std::int32_t> community;  ///< [edges]; 0 is the one with most edges; -1 for a self loop
  std::int64_t count = 0;
  double similarity = 0;  ///< of the last edges joined; 0 where none were
  double density = 0;     ///< D at that cut
};

/// Throws UsageError where more than kMostLinkPairs pairs of edges share a node, naming the node with most edges: the
/// cost is theirs. Deterministic; ties need no rule, since all edges of one similarity are joined before a cut.
/// `progress`, where given, is told the share of the work that is done and may throw to end it.
/// Cost: O(sum of degree^2 log edges) time, O(edges + nodes) memory.
FACTORGCN_API LinkCommunities link_communities(const LinkGraph& graph,
                                               const std::function<void(double)>& progress = {});

inline constexpr std::int64_t kMostLinkPairs = 2'000'000'000;

/// Puts each community into one of `relations` relations: from the largest on, into the one that has fewest of its
/// nodes already, and among such into the one with most edges. For in one relation a node belongs to one group: what
/// shares nodes is best kept apart, and what shares none may well be one relation. Returns [edges], -1 for a self loop.
/// Cost: O(edges * relations).
FACTORGCN_API std::vector<std::int32_t> relations_from_communities(const LinkGraph& graph,
                                                                   const LinkCommunities& communities, int relations);

}  // namespace factorgcn
