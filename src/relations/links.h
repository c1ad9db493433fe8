// A graph's links in the form in which every step reads them: for each node its neighbours, each edge at both ends.
//
// Where a directed graph joins a pair both ways the two edges are one link of weight 2. Weights are scaled to mean 1,
// so that what is saved by a description counts edges. Memory: 8 bytes an edge, 16 where links have weights.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"

namespace factorgcn::relations {

/// Rows that one task takes; about equally many links in each, whatever the number of threads.
struct RowRange {
  std::int64_t first = 0, last = 0;
};

struct Links {
  std::int64_t nodes = 0;
  std::vector<std::int64_t> offsets;     // [N + 1]
  std::vector<std::int32_t> neighbours;  // [2 E], rising in each row
  std::vector<float> weights;            // [2 E]; empty: all 1
  std::vector<float> strengths;          // [N] sums of weights, degrees where there are none
  std::vector<RowRange> tasks;
  std::int64_t senders = 0;  // above 0: the first so many nodes are linked with the others alone (sides.h)

  bool weighted() const { return !weights.empty(); }
  std::int64_t links() const { return static_cast<std::int64_t>(neighbours.size()) / 2; }
  FACTORGCN_API double total() const;  // sum of weights, each link once
};

/// Cost: O(N + E log degree).
FACTORGCN_API Links make_links(const RelationGraph& graph);

/// The links of plain undirected edges, each once; for random graphs and resamples. No weights: all 1.
FACTORGCN_API Links make_links(std::int64_t nodes, const std::vector<std::int32_t>& sources,
                               const std::vector<std::int32_t>& targets, const std::vector<float>& weights);

}  // namespace factorgcn::relations
