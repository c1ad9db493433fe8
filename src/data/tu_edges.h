// From edge tables of many graphs to the two edge orders of graph/graph_store.h, without a Graph object per graph.
//
// A large collection has some ten million edges: its tables are turned into the store's arrays by counting sorts, graph
// by graph and in parallel, with no copy of the edges beyond the one that stays.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/data/tu.h"
#include "factorgcn/graph/graph_store.h"

namespace factorgcn {

/// Where each node of the tables goes: graph after graph, in the file's order inside a graph.
struct NodePlaces {
  std::vector<std::int64_t> offsets;  ///< [G + 1]; first place of each graph
  std::vector<std::int32_t> local;    ///< [N]; id inside the graph

  std::int64_t place(const TuTables& tables, std::int64_t node) const {
    const auto index = static_cast<std::size_t>(node);
    return offsets[static_cast<std::size_t>(tables.node_graph[index])] + local[index];
  }
};

NodePlaces place_nodes(const TuTables& tables);

/// A reverse that the file lacks.
struct MissingReverse {
  std::int64_t edge;  ///< whose reverse it is, counted inside its graph
  bool is_first;      ///< the first of parallel edges: those ask for one reverse together
};

/// Edges by graph, with ids local to it.
struct GroupedEdges {
  std::vector<std::int64_t> offsets;          ///< [G + 1]; edges of the file
  std::vector<std::int32_t> source, target;   ///< [E]
  std::vector<std::int64_t> labels;           ///< [E] or empty
  std::vector<std::int64_t> missing_offsets;  ///< [G + 1]
  std::vector<MissingReverse> missing;        ///< by graph, in the file's order
};

/// Takes the edges (and their labels) out of the tables and finds which reverses are missing.
GroupedEdges group_edges(TuTables& tables, const NodePlaces& places);

/// Fills all arrays of the store but the features; returns how many self loops were added.
std::int64_t fill_edge_orders(const GroupedEdges& edges, const NodePlaces& places, bool self_loops,
                              const std::string& name, GraphStore& store);

}  // namespace factorgcn
