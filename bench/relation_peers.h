// Peers for known edges: what others do who know the relations of some edges and look for those of the rest.
//
// Each takes a graph, which edges are known and of which relations, and gives every edge a score in every relation.
// Layers are independent of each other and an edge is there where any of them has it.
#pragma once

#include <cstdint>
#include <vector>

namespace factorgcn::bench {

struct KnownGraph {
  std::int64_t nodes = 0;
  std::vector<std::int32_t> sources, targets;  ///< [E]
  int relations = 0;
  std::vector<std::uint8_t> known;  ///< [E] 1 where the edge's relations are known
  std::vector<std::uint8_t> truth;  ///< [E, relations]; to be looked at for known edges only
};

/// Each relation a configuration model: an edge of i and j is in relation l with probability k_il k_jl / 2 m_l, and
/// degrees k follow from the edges' probabilities. EM, after Wu et al., Communications Physics 5 (2022).
std::vector<float> configuration_models(const KnownGraph& graph);

/// The shares of relations among each end's known edges, with the graph's own shares as one edge more, multiplied.
std::vector<float> multiplied_shares(const KnownGraph& graph);

/// Configuration models with communities: of each relation those of its known edges and of all unknown ones, by
/// modularity; how many of its known edges stay inside says how much a community counts. In the spirit of Kaiser,
/// Patwardhan and Radicchi, arXiv 2206.07529 (2022).
std::vector<float> community_models(const KnownGraph& graph);

}  // namespace factorgcn::bench
