// Graphs as the methods that are not trained by gradient take them: simple and undirected, one label a node.
//
// Directions, self loops and parallel edges of the data set are dropped: the loops that training adds would change what
// a random walk does, and none of these methods knows directions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct FACTORGCN_API PlainGraph {
  std::vector<std::int64_t> offsets{0};  ///< neighbours of node i are offsets[i] .. offsets[i + 1]
  std::vector<std::int32_t> neighbours;  ///< rising
  std::vector<std::int64_t> labels;

  std::int64_t num_nodes() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t degree(std::int64_t node) const {
    return offsets[static_cast<std::size_t>(node) + 1] - offsets[static_cast<std::size_t>(node)];
  }
  std::span<const std::int32_t> around(std::int64_t node) const {
    return {neighbours.data() + offsets[static_cast<std::size_t>(node)], static_cast<std::size_t>(degree(node))};
  }
};

/// What labels a node: its type in the data set, its number of neighbours, or nothing (all alike).
enum class NodeLabels { kTypes, kDegree, kNone };

/// types, degree, none
FACTORGCN_API const char* node_labels_name(NodeLabels labels);
FACTORGCN_API NodeLabels node_labels_from_name(const std::string& name);

/// The types where the data set has them, else the degree. (A data set without labels has its degrees as types.)
FACTORGCN_API NodeLabels usual_labels(const Dataset& dataset);

/// A graph from undirected edges given in any order, either way or both ways. Throws Error for ids out of range.
FACTORGCN_API PlainGraph make_plain_graph(std::int64_t nodes, std::span<const std::int32_t> source,
                                          std::span<const std::int32_t> target, std::vector<std::int64_t> labels);

/// All graphs of a data set. Throws UsageError where types are asked for and it has none. Cost: O(N + E log E).
FACTORGCN_API std::vector<PlainGraph> plain_graphs(const Dataset& dataset, NodeLabels labels);

}  // namespace factorgcn
