// How well a model says where edges lead that it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/relations/relation_graph.h"
#include "relations/model.h"

namespace factorgcn::relations {

/// Places of the graph's edges, a tenth of them at a time: of small graphs five tenths, of others one.
std::vector<std::vector<std::int64_t>> tenths_to_leave_out(const RelationGraph& graph, std::uint64_t seed);

/// The graph without those edges.
RelationGraph without_edges(const RelationGraph& graph, const std::vector<std::int64_t>& left_out);

/// Bits that it takes to say where each left-out edge starts and ends: the sum over all pairs of nodes, one after the
/// other, of their rates is what a rate is a share of. `model` was fitted to `kept`, what is left of the graph, or
/// where `sides` says so to its two sides (sides.h). Cost: O((N + edges left out) groups).
std::vector<double> bits_under(const Model& model, const RelationGraph& kept, const RelationGraph& graph,
                               const std::vector<std::int64_t>& left_out, bool sides);

/// Differences of two models' bits for the same edges, one by one.
struct SavedBits {
  std::int64_t edges = 0;
  double before = 0, after = 0;  // mean bits of an edge
  double times_chance = 0;       // the mean difference in units of what chance makes of it

  SavedBits(const std::vector<double>& before_each, const std::vector<double>& after_each);
};

}  // namespace factorgcn::relations
