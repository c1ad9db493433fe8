// Directed entries of one graph as the edges that people speak of: which two are the directions of one edge, and which
// were in the source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// One graph's edges in the order of its in-edges, ids local to it.
struct GraphEdges {
  std::vector<std::int32_t> sources, targets;
  std::vector<std::int64_t> mates;  ///< the same edge in the other direction; -1: there is none. A self loop has none
  std::vector<std::int32_t> order;  ///< their places, by source
  std::int64_t first = 0;           ///< place of the first among the data set's edges
};

GraphEdges graph_edges(const Dataset& dataset, std::int64_t graph);

/// True where every edge but self loops has a mate, in all of the graphs, and the data set does not say that directions
/// matter.
bool is_undirected(const Dataset& dataset, std::span<const std::int64_t> graphs);

/// Whether self loops are in the source: all that are marked so; where nothing is marked, none if as many were added.
enum class SelfLoops { kMarked, kGiven, kAdded };
SelfLoops self_loops_of(const Dataset& dataset);

/// The true relations of each edge, joined by ";", for one graph after the other.
class EdgeRelations {
 public:
  explicit EdgeRelations(const Dataset& dataset) : dataset_(dataset) {}

  void begin(std::int64_t graph);
  /// Of an edge and, where `both`, of its other direction.
  std::string of(std::int32_t source, std::int32_t target, bool both) const;

 private:
  void collect(std::int32_t source, std::int32_t target, std::vector<std::int32_t>& types) const;

  const Dataset& dataset_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> types_;  ///< ends and type, sorted
};

}  // namespace factorgcn
