// Graphs, nodes and relations of a user's tables as numbers.
//
// One pass over each table: names stay views into the tables, which must outlive the result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/import_roles.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

struct NumberedNode {
  std::int64_t graph = 0;
  std::int32_t place = 0;  ///< within its graph
  std::int64_t row = -1;   ///< of the node table; -1: only edges name it
  std::string_view name;
};

struct NumberedEdge {
  std::int64_t graph;
  std::int32_t source, target;  ///< places within the graph
  std::int32_t relation;        ///< -1: not known
  bool both_ways;
  float weight;  ///< 1 where edges have none
};

struct NumberedTables {
  std::vector<std::string_view> graph_names;
  std::vector<std::int64_t> nodes_in_graph, first_node;  ///< [G], [G + 1]
  std::vector<NumberedNode> nodes;                       ///< graph by graph
  std::vector<NumberedEdge> edges;                       ///< in the table's order
  std::vector<std::string> relation_names;
};

/// Throws Error (file, line, value) where the tables do not fit each other. Notes are appended.
NumberedTables number_tables(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
                             std::vector<std::string>& notes);

/// "1 node", "2 nodes".
std::string counted_text(std::size_t count, const std::string& what);

}  // namespace factorgcn
