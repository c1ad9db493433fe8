// The door of this room: lists that do not fit each other are refused here, once.
#include "factorgcn/relations/relation_graph.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

void check_ends(const RelationGraph& graph) {
  const std::size_t edges = graph.sources.size();
  require(graph.nodes >= 1 && graph.nodes <= INT32_MAX, "relations: ", graph.nodes, " nodes; give 1 to ", INT32_MAX);
  require(edges == graph.targets.size(), "relations: ", edges, " sources but ", graph.targets.size(), " targets");
  require(graph.weights.empty() || graph.weights.size() == edges, "relations: ", graph.weights.size(), " weights for ",
          edges, " edges");
  for (std::size_t edge = 0; edge < edges; ++edge) {
    for (const std::int32_t end : {graph.sources[edge], graph.targets[edge]}) {
      require(end >= 0 && end < graph.nodes, "relations: edge ", edge, " ends at node ", end, "; there are ",
              graph.nodes, " nodes");
    }
    require(graph.sources[edge] != graph.targets[edge], "relations: edge ", edge, " is a self loop at node ",
            graph.sources[edge], "; leave self loops out");
    require(graph.weights.empty() || (std::isfinite(graph.weights[edge]) && graph.weights[edge] > 0),
            "relations: edge ", edge, " has weight ", graph.weights.empty() ? 0.0F : graph.weights[edge],
            "; weights must be above 0");
  }
}

}  // namespace

void check_relation_graph(const RelationGraph& graph) {
  check_ends(graph);
  std::vector<std::uint64_t> pairs;
  pairs.reserve(graph.sources.size());
  for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
    std::int32_t from = graph.sources[edge], to = graph.targets[edge];
    if (!graph.directed && from > to) {
      std::swap(from, to);
    }
    pairs.push_back(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to));
  }
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
  require(twice == pairs.end(), "relations: the edge ", twice == pairs.end() ? 0 : *twice >> 32, " - ",
          twice == pairs.end() ? 0 : *twice & 0xFFFFFFFFU, " is there twice; give each edge once");
}

void check_known_edges(const KnownEdges& known, const RelationGraph& graph) {
  require(known.relations >= (known.empty() ? 0 : 1), "relations: known edges name ", known.relations, " relations");
  require(known.truth.size() == known.edges.size() * static_cast<std::size_t>(known.relations),
          "relations: ", known.edges.size(), " known edges x ", known.relations, " relations need as many values, ",
          known.truth.size(), " are given");
  std::vector<std::int64_t> edges = known.edges;
  std::sort(edges.begin(), edges.end());
  for (std::size_t at = 0; at < edges.size(); ++at) {
    require(edges[at] >= 0 && edges[at] < graph.edges(), "relations: known edge ", edges[at], "; there are ",
            graph.edges(), " edges");
    require(at == 0 || edges[at] != edges[at - 1], "relations: edge ", edges[at], " is known twice");
  }
}

void check_attributes(const std::vector<NodeAttribute>& attributes, const RelationGraph& graph) {
  for (const NodeAttribute& attribute : attributes) {
    const std::size_t values = attribute.categories.empty() ? attribute.numbers.size() : attribute.categories.size();
    require(attribute.categories.empty() || attribute.numbers.empty(), "relations: attribute '", attribute.name,
            "' has both categories and numbers; give one");
    require(values == static_cast<std::size_t>(graph.nodes), "relations: attribute '", attribute.name, "' has ", values,
            " values for ", graph.nodes, " nodes");
  }
}

}  // namespace factorgcn
