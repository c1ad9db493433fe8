// GEXF, as Gephi and networkx write it: nodes and edges with declared attributes.
//
// Read: <graph> with defaultedgetype, <attributes> of nodes and edges with <default>, <node> (also inside others: they
// are nodes like any), <edge> with weight, type and kind, <attvalue>. Versions 1.1 to 1.3. What is there for drawing
// (viz:...) is passed over; of values that change over time the last one stays. A document type declaration is refused.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Whether this build has an XML library; without one, read_gexf() throws and says so.
FACTORGCN_API bool can_read_gexf();

/// Tables with the columns graph, source, target (edges), node (nodes) and one column per attribute, by its title. An
/// edge's weight is in the column "weight", its kind in "relation". Nodes are called by their labels where those tell
/// them apart, else by id. Throws Error (file, line, what was found). Cost: O(text).
FACTORGCN_API GraphTables read_gexf(std::string_view text, const std::string& origin);

}  // namespace factorgcn
