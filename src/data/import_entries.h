// Features that come as entries of a matrix, put into the node table.
#pragma once

#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

/// The tables with `entries` as a further column of the node table, lists of column:value. Where there is no node
/// table, one is made of the nodes that edges and entries name. Throws Error (file, line, value) for nodes that the
/// table lacks, columns that are no numbers and values that are not finite; UsageError where it is not clear which node
/// is meant. Cost: O(cells); a copy of the tables.
GraphTables with_entry_column(const GraphTables& tables, const ImportOptions& options);

}  // namespace factorgcn
