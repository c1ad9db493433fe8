// What can be said of an edge without its relation: numbers from the graph, from what was found in it, from weights,
// directions and attributes of nodes. Each column has mean 0 and variance 1; columns without variance are left out.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/relations/relation_graph.h"
#include "relations/links.h"

namespace factorgcn::relations {

struct EdgeFeatures {
  std::int64_t edges = 0;
  int columns = 0;
  std::vector<float> values;  // [E, columns]
  const float* row(std::int64_t edge) const { return values.data() + edge * columns; }
};

/// `found` are shares or other numbers of edges, [E, found_columns]. Cost: O(E x (degree + columns)), common neighbours
/// by merging sorted lists; of nodes with very many, a part is looked at.
EdgeFeatures edge_features(const Links& links, const RelationGraph& graph, const std::vector<float>& found,
                           int found_columns, const std::vector<NodeAttribute>& attributes);

}  // namespace factorgcn::relations
