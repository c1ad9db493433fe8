// What a user knows: of some edges, which relations they are.
//
// A table with columns source, target and relation, in any order and beside any others:
//
//   source,target,relation
//   ann,bob,work
//   bob,cyd,work;family          two relations; two lines do the same
//   cyd,dan,                     not known: the line is skipped
//
// So a list of edges that the program asked about can be filled in and handed back as it is, half of it empty.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/edge_table.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/named_graph.h"

namespace factorgcn {

struct FACTORGCN_API KnownRelations {
  std::vector<std::string> names;       ///< of the relations, in order of appearance
  std::vector<std::int64_t> edges;      ///< whose relations are known, ascending
  std::vector<std::uint8_t> relations;  ///< [edges, names], row by row: 1 where the edge is in the relation

  bool empty() const { return edges.empty(); }
};

/// From delimited text; `origin` is the file's name. Throws Error (file, line, value) for a node that is not in the
/// graph, two nodes that no edge joins, and a table in which no relation is filled in. Cost: O(graph's edges + lines).
FACTORGCN_API KnownRelations read_known(std::string_view text, const std::string& origin, const NamedGraph& graph);

/// The same from a file.
FACTORGCN_API KnownRelations read_known_file(const std::filesystem::path& file, const NamedGraph& graph);

/// The same from the column `table.known` of the graph's own edge list.
FACTORGCN_API KnownRelations read_known_column(const TextTable& edges, const EdgeTable& table, const NamedGraph& graph);

}  // namespace factorgcn
