// JSON in the node-link form that networkx and d3 use: {"nodes": [{"id": ...}], "links": [{"source", "target"}]}.
//
// "edges" is understood like "links"; one object is one graph, a list of objects is many. "directed" is followed,
// "multigraph" is not needed, the values under "graph" belong to the graph.
//
// As in d3, nodes may do without ids, [{"name": "Ann"}] or ["Ann"], and links may name their ends by id, by name, or by
// the node's place in the list, from 0: the first of these that fits all links of the graph is taken. A link's end may
// also be the node itself, as d3 leaves it behind.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Tables with the columns graph, source, target (edges), node (nodes) and one column per other key, found in any
/// object. Nodes are called by "name" where that tells them apart, else by id. Edges' numbers under "value" are weights
/// where no key says weight. Lists and objects as values keep their JSON text; null is a missing value. Graphs without
/// a "name", or with equal ones, are called 1, 2, 3 ... Throws Error (file, node or link, what was found); nesting
/// deeper than 32 levels is refused. Cost: O(text), some ten times the text in memory.
FACTORGCN_API GraphTables read_node_link(std::string_view text, const std::string& origin);

}  // namespace factorgcn
