// Graphs for this room's tests.
#pragma once

#include <rapidcheck.h>

#include <vector>

#include "eval/arbitrary.h"
#include "factorgcn/data/relations.h"
#include "factorgcn/relations/relation_graph.h"
#include "relations/expected_counts.h"

namespace factorgcn {

inline RelationGraph graph_of(const PlantedRelations& planted) {
  return {.nodes = planted.nodes, .sources = planted.sources, .targets = planted.targets};
}

/// A random graph of a few nodes, with at least one edge; weighted where asked for.
inline RelationGraph arbitrary_graph(bool weighted) {
  RelationGraph graph;
  graph.nodes = pick(2, 12);
  for (std::int32_t a = 0; a < graph.nodes; ++a) {
    for (std::int32_t b = a + 1; b < graph.nodes; ++b) {
      if (pick(0, 3) == 0 || (a == 0 && b == 1)) {
        graph.sources.push_back(a);
        graph.targets.push_back(b);
        if (weighted) {
          graph.weights.push_back(static_cast<float>(pick(1, 9)));
        }
      }
    }
  }
  return graph;
}

/// Values from 0.01 to 1.
inline relations::Table arbitrary_table(std::int64_t rows, int columns) {
  relations::Table table(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      table.row(row)[column] = static_cast<float>(pick(1, 101)) / 100;
    }
  }
  return table;
}

}  // namespace factorgcn
