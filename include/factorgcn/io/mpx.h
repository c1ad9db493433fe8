// Multilayer networks (.mpx), as the multinet library (R and Python) and its relatives write them:
//
//   #TYPE                 multiplex, or multilayer (edges then name a layer for each end)
//   multiplex
//   #LAYERS
//   lunch, UNDIRECTED
//   #ACTOR ATTRIBUTES
//   role, STRING
//   #EDGE ATTRIBUTES      LAYER, NAME, TYPE, or NAME, TYPE for all layers
//   lunch, weight, NUMERIC
//   #ACTORS
//   ann, PhD
//   #EDGES
//   ann, bob, lunch, 3
//
// Further: #NODE ATTRIBUTES and #NODES (also called VERTEX and VERTICES), for values of an actor in a layer. A file
// without any heading is a list of edges. Lines that start with -- or % are comments. Commas inside values are not
// known to the format.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// One graph whose nodes are the actors and whose edges' layers are in the column "relation": tables with the columns
/// source, target, relation (edges), node (nodes) and one per attribute; attributes of an actor in a layer are called
/// "LAYER NAME". An edge between layers has the relation "LAYER to LAYER"; one that joins an actor with itself in
/// another layer is left out, with a note. Throws Error (file, line, what was found). Cost: O(text).
FACTORGCN_API GraphTables read_mpx(std::string_view text, const std::string& origin);

}  // namespace factorgcn
