// One graph of a user's tables as plain lists: for what works on edges and names rather than on a data set.
//
// Columns are found as for import_graphs() (data/import.h), and nodes are numbered in the same order. Rows stay apart:
// what repeated rows mean is the caller's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

struct FACTORGCN_API EdgeTable {
  /// One row of the edge list.
  struct Row {
    std::int32_t source, target;
    std::int32_t relation;  ///< index into `relations`; -1: none given
    float weight;           ///< 1 where there is no column of weights
  };

  std::vector<std::string> nodes;       ///< their names
  std::vector<std::int64_t> node_rows;  ///< [nodes] row of the node table; -1: only edges name it
  std::vector<Row> rows;                ///< one per row of the edge list
  std::vector<std::string> relations;   ///< values of the relation column
  bool directed = false;                ///< asked for, or said of every edge by the format
  bool has_weights = false;
  std::optional<std::size_t> known;     ///< the column asked for as `known`
  std::vector<std::size_t> attributes;  ///< columns of the node table other than names, graphs and splits
  std::vector<std::string> notes;       ///< what a user should know
};

/// `known` names a further column of the edge list, or is empty; a relation column is then another one or none.
/// Throws as import_graphs() does, and where the tables hold more than one graph.
FACTORGCN_API EdgeTable read_edge_table(const GraphTables& tables, const ImportOptions& options,
                                        const std::string& known = "");

/// True where the edge list has a column of that name or number.
FACTORGCN_API bool has_column(const TextTable& table, const std::string& asked);

}  // namespace factorgcn
