// Pajek networks (.net), as Pajek, networkx, igraph and Infomap write them:
//
//   *Vertices 3            a number, a name (in double quotes where it has blanks), then what is there for drawing
//   1 "Ann Lee"            (positions, shapes, colours: passed over) and any further pairs of key and value
//   2 Bob 0.5 0.5 ellipse age 31
//   *Edges                 undirected: two numbers, then a weight, then pairs of key and value
//   1 2 3.5
//   *Arcs :2 "advises"     directed; :2 "advises" makes it the relation "advises" (also `2: 1 3` in front of a line)
//
// Further: *Arcslist and *Edgeslist (a vertex and its neighbours), *Matrix, and *Network, which begins another network.
// Partitions, vectors and the like of a project file (.paj) are passed over. Lines that start with % are comments.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Tables with the columns graph, source, target (edges), node (nodes) and one column per key; weights are in the
/// column "weight" (1 where a line has none), relations in "relation". Nodes are called by their names where those tell
/// them apart, else by number. Throws Error (file, line, what was found), also where *Vertices names far more vertices
/// than the file has lines. Cost: O(text + vertices).
FACTORGCN_API GraphTables read_pajek(std::string_view text, const std::string& origin);

}  // namespace factorgcn
