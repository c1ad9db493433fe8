// What taking relations apart works on: one graph's edges, each written once, and what is known beside them.
//
// Plain lists, so that files, data sets and programs of one's own can be brought into this form in a few lines. Nothing
// here needs libtorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Each edge once: of an undirected graph in either direction, of a directed one from source to target (a pair with
/// edges both ways then has two). No self loops, no repeats.
struct FACTORGCN_API RelationGraph {
  std::int64_t nodes = 0;
  std::vector<std::int32_t> sources = {}, targets = {};  ///< [E]
  std::vector<float> weights = {};                       ///< [E], above 0; empty: every edge counts alike
  bool directed = false;

  std::int64_t edges() const { return static_cast<std::int64_t>(sources.size()); }
};

/// Edges whose relations somebody knows. A listed edge may be in several relations, or in none of those named.
struct FACTORGCN_API KnownEdges {
  int relations = 0;                ///< how many are named; more may be looked for
  std::vector<std::int64_t> edges;  ///< [n] positions in the graph's lists, none twice
  std::vector<std::uint8_t> truth;  ///< [n, relations], 1 where the edge is in the relation

  bool empty() const { return edges.empty(); }
};

/// Something known of nodes: categories or numbers.
struct FACTORGCN_API NodeAttribute {
  std::string name;
  std::vector<std::int32_t> categories = {};  ///< [N], -1 where missing; empty where the attribute is a number
  std::vector<float> numbers = {};            ///< [N], NaN where missing; empty where it is a category
};

/// Each throws Error, naming the value, where lists do not fit each other or the graph. Cost: O(N + E log E).
FACTORGCN_API void check_relation_graph(const RelationGraph& graph);
FACTORGCN_API void check_known_edges(const KnownEdges& known, const RelationGraph& graph);
FACTORGCN_API void check_attributes(const std::vector<NodeAttribute>& attributes, const RelationGraph& graph);

}  // namespace factorgcn
