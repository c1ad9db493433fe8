// GML (Graph Modelling Language), as networkx, igraph, Gephi and the files of Newman's collection have it:
//
//   graph [ directed 0  node [ id 1 label "Ann" age 31 ]  edge [ source 1 target 2 value 3 ] ]
//
// Several graphs may follow each other. A key that comes several times in one node or edge is a list. Lists inside
// nodes and edges (graphics [ ... ]) and lines that start with # are passed over. Text is UTF-8; &quot; &amp; &lt; &gt;
// &apos; and &#228; stand for their characters.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Tables with the columns graph, source, target (edges), node (nodes) and one column per other key. Nodes are called
/// by their labels where those tell them apart, else by id. Edges' numbers under "value" are weights where no key says
/// weight. Throws Error (file, line, what was found). Cost: O(text).
FACTORGCN_API GraphTables read_gml(std::string_view text, const std::string& origin);

}  // namespace factorgcn
