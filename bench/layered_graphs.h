// Graphs whose relations are known, and choices of the edges that a method is told: what benchmarks of known edges, of
// certainty and of whole runs have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/delimited_text.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/random.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/data/relations.h"

namespace factorgcn::bench {

/// Planted relations under the names 1, 2, ...
inline NamedGraph planted_layers(const RelationsOptions& options) {
  PlantedRelations planted = plant_relations(options);
  NamedGraph graph;
  graph.name = "planted";
  for (std::int64_t node = 0; node < planted.nodes; ++node) {
    graph.nodes.push_back(std::to_string(node));
  }
  for (int relation = 0; relation < planted.relations; ++relation) {
    graph.truth_names.push_back(std::to_string(relation + 1));
  }
  graph.sources = std::move(planted.sources);
  graph.targets = std::move(planted.targets);
  graph.truth = std::move(planted.truth);
  return graph;
}

/// A file of lines "layer source target [weight]", its layers joined to one graph; weights are not looked at.
inline NamedGraph read_layers(const std::string& file, bool directed) {
  GraphTables tables;
  tables.edges = read_delimited(read_file(file), file);
  ImportOptions options;
  options.relation = "1";
  options.source = "2";
  options.target = "3";
  options.edge_weight = "none";
  options.directed = directed;
  return named_graph(file, tables, read_edge_table(tables, options));
}

/// Positions of the edges that are known, rising; the same for all benchmarks: choice c takes the first of a shuffle by
/// RandomStream(c, "known edges").
inline std::vector<std::int64_t> choose_edges(std::size_t edges, double share, std::uint64_t choice) {
  std::vector<std::int64_t> order(edges);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream(choice, "known edges").shuffle(std::span(order));
  order.resize(static_cast<std::size_t>(std::llround(share * static_cast<double>(edges))));
  std::sort(order.begin(), order.end());
  return order;
}

/// The rows of [edges, relations] truth at these positions.
inline std::vector<std::uint8_t> truth_at(const std::vector<std::uint8_t>& truth, int relations,
                                          const std::vector<std::int64_t>& edges) {
  std::vector<std::uint8_t> rows;
  for (const std::int64_t edge : edges) {
    const auto first = truth.begin() + edge * relations;
    rows.insert(rows.end(), first, first + relations);
  }
  return rows;
}

}  // namespace factorgcn::bench
