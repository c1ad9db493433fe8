// The receptive fields of PATCHY-SAN (Niepert, Ahmed and Kutzkov, ICML 2016): a graph as a fixed number of small
// graphs, each with a fixed number of ordered places, so that an ordinary convolution can read it.
//
// 1. Nodes are ranked by a score that does not depend on their numbering (degree, betweenness or Weisfeiler-Lehman
//    colours); a canonical labelling of the whole graph breaks ties. The first `fields` nodes are the fields' roots.
// 2. A field takes its root and whole rings of neighbours around it until it has `size` nodes or there are no more; of
//    the last ring the best-ranked stay.
// 3. Its nodes are ordered by distance from the root, score and label; a canonical labelling of the field's own edges
//    breaks ties. Places that are left stay empty.
//
// Renumbering the nodes of a graph changes nothing in its fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/classic/plain_graph.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

enum class NodeRanking { kDegree, kBetweenness, kWl };

/// degree, betweenness, wl
FACTORGCN_API const char* node_ranking_name(NodeRanking ranking);
FACTORGCN_API NodeRanking node_ranking_from_name(const std::string& name);

struct FACTORGCN_API FieldOptions {
  std::int64_t fields = 0;  ///< a graph; 0: the data set's average number of nodes, rounded up
  std::int64_t size = 10;   ///< places of a field
  NodeRanking ranking = NodeRanking::kDegree;
  NodeLabels labels = NodeLabels::kTypes;
};

/// A score for each node of each graph; equal nodes of one graph, and of different graphs, have equal scores.
/// Cost: betweenness O(n m) a graph (Brandes), the others O(n + m).
FACTORGCN_API std::vector<std::vector<std::int64_t>> rank_nodes(std::span<const PlainGraph> graphs,
                                                                NodeRanking ranking);

/// The fields of one graph: fields x size node numbers, -1 for an empty place. `scores` of its nodes, higher first.
FACTORGCN_API std::vector<std::int32_t> receptive_fields(const PlainGraph& graph, std::span<const std::int64_t> scores,
                                                         const FieldOptions& options);

/// The data set that a network on fields sees. Graph g becomes fields x size nodes, place after place, with the edges
/// that its nodes have inside each field; a node's type is 0 for an empty place, else its label + 1. Split, targets and
/// names of classes and graphs stay; ground truth does not. The same for any number of threads.
FACTORGCN_API Dataset field_dataset(const Dataset& dataset, const FieldOptions& options);

}  // namespace factorgcn
