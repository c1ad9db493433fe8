// Adjacency lists (.adjlist), as networkx.write_adjlist has them: a node and its neighbours on each line.
//
//   # comment
//   ann bob cyd
//   dan
//
// Names are separated by tabs where the file has any, else by blanks. What follows a # at the start of a word is a
// comment. An edge may be listed from one end or from both.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Tables with the columns source, target (edges) and node (nodes: those of the lines first, in order). Throws Error
/// (file, line, what was found) for bytes that are not UTF-8 and for a file without nodes. Cost: O(text).
FACTORGCN_API GraphTables read_adjacency_list(std::string_view text, const std::string& origin);

}  // namespace factorgcn
