// GraphML, as networkx and others write it: nodes, edges and their data keys.
//
// Read: <graph> (several in one file), <node>, <edge>, <key> with attr.name, for and <default>, <data>. Edges follow
// edgedefault and their own directed attribute. Graphs inside nodes and hyperedges are refused; ports and what other
// programs put inside <data> as elements are passed over. A document type declaration is refused, so no entity can be
// declared or expanded.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Whether this build has an XML library; without one, read_graphml() throws and says so.
FACTORGCN_API bool can_read_graphml();

/// Tables with the columns graph, source, target (edges), node (nodes) and one column per data key; edges with an id
/// have it in the column "id". Nodes are called by their key "name" where that tells them apart, else by id. Graphs
/// without a name of their own, or with equal ones, are called 1, 2, 3 ... Throws Error (file, line, what was found).
/// Cost: O(text).
FACTORGCN_API GraphTables read_graphml(std::string_view text, const std::string& origin);

}  // namespace factorgcn
